"""Which characters show nothing, and which do something only beside certain others.

Ranges are written with code points, since the characters themselves cannot be seen or told apart. They stand here
instead of being asked of Python, so that a text reads the same under each of its versions, and code points that are
assigned later are known by what the standard reserved them for.
"""

from __future__ import annotations

import re

#: Default_Ignorable_Code_Point (DerivedCoreProperties.txt), ranges reserved for it among them.
_IGNORABLE = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
#: Annotations and objects that no plain text has; the joiners of Tifinagh and Brahmi and the filler of Khitan, which
#: have no shape; holes among the Hebrew presentation forms that common fonts fill with nothing.
_DRAWN_AS_NOTHING = r"\ufff9-\ufffc\u2d7f\U0001107f\U00016fe4\ufb37\ufb3d\ufb3f\ufb42\ufb45"
#: Nobody can say what they show.
_PRIVATE = r"\ue000-\uf8ff\U000f0000-\U0010ffff"
_NONCHARACTERS = r"\ufdd0-\ufdef" + "".join(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(0x11))
UNSEEN = re.compile(f"[{_IGNORABLE}{_DRAWN_AS_NOTHING}{_PRIVATE}{_NONCHARACTERS}]")

#: All of Zs but the plain space; the Braille cell without dots, the note without a head, the Egyptian blanks.
BLANK = re.compile(r"[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\U0001d159\U00013441\U00013442]")
LINE_BREAK = re.compile(r"[\u2028\u2029]")

NON_JOINER, JOINER = "\u200c", "\u200d"
MARKS = "\u061c\u200e\u200f"
SELECTORS = "\ufe0e\ufe0f"
VOWEL_SEPARATOR = "\u180e"
SOMETIMES = f"{NON_JOINER}{JOINER}{MARKS}{SELECTORS}{VOWEL_SEPARATOR}"

#: The three flags that Unicode recommends (RGI_Emoji_Tag_Sequence) of those that are spelled with tags.
SPELLED_FLAG = re.compile(
    "(\U0001f3f4(?:{})\U000e007f)".format(
        "|".join("".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("gbeng", "gbsct", "gbwls"))
    )
)

#: What has a presentation as text and one as emoji (emoji-variation-sequences.txt), but for the bases of keycaps.
TWO_FACED = re.compile(
    r"[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2"
    r"\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a"
    r"\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697"
    r"\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3"
    r"\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728"
    r"\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935"
    r"\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f170\U0001f171\U0001f17e\U0001f17f"
    r"\U0001f202\U0001f21a\U0001f22f\U0001f237\U0001f30d-\U0001f30f\U0001f315\U0001f31c\U0001f321\U0001f324-\U0001f32c"
    r"\U0001f336\U0001f378\U0001f37d\U0001f393\U0001f396\U0001f397\U0001f399-\U0001f39b\U0001f39e\U0001f39f\U0001f3a7"
    r"\U0001f3ac-\U0001f3ae\U0001f3c2\U0001f3c4\U0001f3c6\U0001f3ca-\U0001f3ce\U0001f3d4-\U0001f3e0\U0001f3ed\U0001f3f3"
    r"\U0001f3f5\U0001f3f7\U0001f408\U0001f415\U0001f41f\U0001f426\U0001f43f\U0001f441\U0001f442\U0001f446-\U0001f449"
    r"\U0001f44d\U0001f44e\U0001f453\U0001f46a\U0001f47d\U0001f4a3\U0001f4b0\U0001f4b3\U0001f4bb\U0001f4bf\U0001f4cb"
    r"\U0001f4da\U0001f4df\U0001f4e4-\U0001f4e6\U0001f4ea-\U0001f4ed\U0001f4f7\U0001f4f9-\U0001f4fb\U0001f4fd\U0001f508"
    r"\U0001f50d\U0001f512\U0001f513\U0001f549\U0001f54a\U0001f550-\U0001f567\U0001f56f\U0001f570\U0001f573-\U0001f579"
    r"\U0001f587\U0001f58a-\U0001f58d\U0001f590\U0001f5a5\U0001f5a8\U0001f5b1\U0001f5b2\U0001f5bc\U0001f5c2-\U0001f5c4"
    r"\U0001f5d1-\U0001f5d3\U0001f5dc-\U0001f5de\U0001f5e1\U0001f5e3\U0001f5e8\U0001f5ef\U0001f5f3\U0001f5fa\U0001f610"
    r"\U0001f687\U0001f68d\U0001f691\U0001f694\U0001f698\U0001f6ad\U0001f6b2\U0001f6b9\U0001f6ba\U0001f6bc\U0001f6cb"
    r"\U0001f6cd-\U0001f6cf\U0001f6e0-\U0001f6e5\U0001f6e9\U0001f6f0\U0001f6f3]"
)
KEYCAP_BASES, KEYCAP = frozenset("0123456789#*"), "\u20e3"

#: Extended_Pictographic (emoji-data.txt): of emoji, and of what is reserved for them.
PICTOGRAPHIC = re.compile(
    r"[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3\u23f8-\u23fa"
    r"\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2714"
    r"\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767\u2795-\u2797\u27a1\u27b0"
    r"\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f0ff"
    r"\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a"
    r"\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f23c-\U0001f23f"
    r"\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff\U0001f774-\U0001f77f"
    r"\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f\U0001f888-\U0001f88f"
    r"\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001faff\U0001fc00-\U0001fffd]"
)
SKIN_TONES = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")

#: Blocks with letters that join (Joining_Type).
JOINING_BLOCKS = re.compile(
    r"[\u0600-\u08ff\u1800-\u18af\ua840-\ua87f\U00010ac0-\U00010aff\U00010b80-\U00010baf"
    r"\U00010d00-\U00010d3f\U00010ec0-\U00010fdf\U0001e900-\U0001e95f]"
)
#: Canonical_Combining_Class Virama of Unicode 15.1, but for scripts in which a joiner does nothing (Thai, Tibetan).
VIRAMA = re.compile(
    r"[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u1039\u103a\u17d2\u1a60\u1b44\u1baa\u1bab"
    r"\u1bf2\u1bf3\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed\U00010a3f\U00011046\U00011070\U000110b9\U00011133\U00011134"
    r"\U000111c0\U00011235\U000112ea\U0001134d\U00011442\U000114c2\U000115bf\U0001163f\U000116b6\U0001172b\U00011839"
    r"\U0001193d\U0001193e\U000119e0\U00011a34\U00011a47\U00011a99\U00011c3f\U00011d44\U00011d45\U00011d97\U00011f41"
    r"\U00011f42]"
)
#: A ra before whose virama a joiner keeps it whole (The Unicode Standard, chapter 12: Bengali, Kannada).
WHOLE_RA = frozenset({"\u09b0\u09cd", "\u09f0\u09cd", "\u0cb0\u0ccd"})
#: Where vowels are cut off by a separator: behind a Mongolian letter, before its a or e.
MONGOLIAN = re.compile(r"[\u1820-\u1878\u1880-\u18aa]")
CUT_OFF_VOWELS = frozenset("\u1820\u1821")
