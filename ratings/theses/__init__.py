"""What the ratings are believed to do: which labels rate, what a fit is made from, and what is published of it."""

import ratings.theses.fits
import ratings.theses.labels
import ratings.theses.publishing  # noqa: F401  # importing them registers the theses
