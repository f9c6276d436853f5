"""Letters that pass for a basic Latin letter: other scripts, small capitals, enclosed, turned and stroked letters.

Styled alphabets that NFKC resolves by itself (full-width, mathematical, circled) need no entry.
"""

#: Letters of other alphabets, row by row the letters and what they pass for.
_SCRIPTS = {
    "Cyrillic capitals": ("АВЕЅІЈКМНОРСТУХҮԀԌԚԜѴӀЄ", "abesijkmhopctyxydgqwvie"),
    "Cyrillic small": ("аьеѕіјкмһорстухүԁԛԝѵӏєҽ", "abesijkmhopctyxydqwviee"),
    "Greek capitals": ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϜ", "abezhikmnoptyxcf"),
    "Greek small": ("αεικνορτυχγησωϲϳ", "aeikvoptuxynowcj"),
    "Armenian": ("օոսհցզՕՍ", "onuhgqou"),
    "Cherokee": ("ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "abcdeghijklmprstvwz"),
    "Lisu": ("ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "abcdefghijklmnoprstuvwxyz"),
    "Canadian syllabics": ("ᗩᗅᗷᑕᗪᗞᗴᖴᕼᒍᒪᗰᑎᑭᖇᔕᑌᐯᗯ᙭", "aabcddefhjlmnprsuvwx"),
    "small capitals": ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz"),
    "turned": ("ɐɔǝəɟƃɥᴉɾʞɯɹʇʌʍʎƎↃↄƆ", "aceefghijkmrtvwyeccc"),
    "Latin variants": ("ɑɡɩƒ℮ǫ", "agifeq"),
}

#: First code points of alphabets from A to Z in order: negative circled, negative squared, regional indicators.
_ENCLOSED = (0x1F150, 0x1F170, 0x1F1E6)

#: Character to the basic letter it passes for.
LOOK_ALIKES: dict[str, str] = {
    look: letter for looks, letters in _SCRIPTS.values() for look, letter in zip(looks, letters, strict=True)
} | {chr(first + offset): chr(ord("a") + offset) for first in _ENCLOSED for offset in range(26)}

#: Letters of European alphabets with a stroke, which Unicode does not take apart. Spelling, not disguise.
STROKED: dict[str, str] = dict(zip("łŁøØđĐħĦŧŦı", "llooddhhtti", strict=True))
