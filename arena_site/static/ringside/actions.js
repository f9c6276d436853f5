// What an agent did, as shapes on the page it did it to, in the frame's own pixels.
(() => {
  "use strict";
  const { WIDTH, HEIGHT } = window.ringside;
  const SVG = "http://www.w3.org/2000/svg";
  const TYPED_SHOWN = 48; // characters that fit on a frame; the list has the whole text
  const ARROW = 90; // length of the arrow that says which way a wheel turned
  const WAYS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };

  const svg = (name, attributes, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  };
  /** The same shape twice: a light edge under the line keeps it in sight on any page. */
  const edged = (name, attributes) => [svg(name, { ...attributes, class: "halo" }), svg(name, { ...attributes, class: "mark" })];

  /** A line with a head at its end. */
  const arrow = (points) => {
    const [[x1, y1], [x2, y2]] = points.slice(-2);
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const wing = (turn) => `${x2 - 26 * Math.cos(angle + turn)},${y2 - 26 * Math.sin(angle + turn)}`;
    const line = points.map((point) => point.join(",")).join(" ");
    return edged("path", { d: `M${line.replaceAll(" ", "L")} M${wing(0.5)}L${x2},${y2}L${wing(-0.5)}` });
  };

  const box = ([x, y, width, height]) => edged("rect", { x: x - 5, y: y - 5, width: width + 10, height: height + 10, rx: 4 });

  const point = ([cx, cy]) => [...edged("circle", { cx, cy, r: 24 }), svg("circle", { cx, cy, r: 7, class: "dot" })];

  const typed = (whole, [ax, ay]) => {
    const line = whole.replaceAll(/\s+/g, " ");
    const text = line.length > TYPED_SHOWN ? `${line.slice(0, TYPED_SHOWN - 1)}…` : line;
    const width = Math.min(text.length * 14 + 32, WIDTH - 32);
    const x = Math.max(16, Math.min(ax - 16, WIDTH - width - 16));
    const y = ay + 36 + 44 > HEIGHT ? ay - 84 : ay + 36;
    const words = { x: x + 16, y: y + 30, class: "typed", textLength: width - 32, lengthAdjust: "spacingAndGlyphs" };
    return [svg("rect", { x, y, width, height: 44, rx: 4, class: "typed-box" }), svg("text", words, text)];
  };

  const scroll = (way, at) => {
    const [x, y] = at ?? [WIDTH / 2, HEIGHT / 2];
    const [dx, dy] = WAYS[way];
    return arrow([[x - dx * ARROW, y - dy * ARROW], [x + dx * ARROW, y + dy * ARROW]]);
  };

  const drawAction = (step) => {
    if (!step) return [];
    if (step.scroll) return scroll(step.scroll, step.point);
    const shapes = step.box ? box(step.box) : [];
    if (step.path?.length > 1) shapes.push(...arrow(step.path), svg("circle", { cx: step.path[0][0], cy: step.path[0][1], r: 9, class: "dot" }));
    else if (step.point) shapes.push(...point(step.point));
    if (step.typed) {
      const under = step.box ? [step.box[0], step.box[1] + step.box[3]] : [24, HEIGHT - 80];
      shapes.push(...typed(step.typed, step.point ?? under));
    }
    return shapes;
  };

  window.ringside = { ...window.ringside, svg, edged, drawAction };
})();
