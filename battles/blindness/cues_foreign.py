"""How a speaker says who it is in languages other than English."""

import re

from battles.blindness.marks import ANY, FULL, NAME, SMALL, words
from battles.blindness.sentences import Sentence

_I_AM = words(
    """je suis, je m'appelle, mon nom est, ich bin, ich heisse, ich heiße, mein name ist, hier ist, hier spricht,
    soy, me llamo, mi nombre es, eu sou, sou, chamo-me, meu nome é, o meu nome é, me chamo, sono, mi chiamo,
    il mio nome è, ik ben, ik heet, mijn naam is, jeg er, jeg heter, jeg hedder, mitt navn er, mit navn er,
    jag är, jag heter, mitt namn är, minä olen, olen, nimeni on, jestem, nazywam się, mam na imię, já jsem,
    jsem, jmenuji se, som, volám sa, sunt, mă numesc, numele meu este, vagyok, a nevem, ben, benim adım, adım,
    saya adalah, saya, aku, nama saya, tôi là, tôi tên là, tên tôi là, ako si, ako ay, ang pangalan ko ay,
    είμαι, με λένε, εγώ είμαι, ονομάζομαι, я, меня зовут, моё имя, мое имя, я є, мене звати, аз съм, ја сам,
    ja sam, jaz sem, אני, שמי, أنا, انا, اسمي, من, मैं, मेरा नाम, मै, ฉันคือ, ผมคือ, ฉันชื่อ, mimi ni,
    jina langu ni, es esmu, mana vārds ir, aš esu, mano vardas, mina olen, minu nimi on, ek is, my naam is,
    soc, sóc, em dic, ni naiz, mi estas"""
)
#: "Ich bin auf der Seite von" says where, not who.
_NOT_ON = (
    r"(?!(?:sur|auf|dans|en|in|a|an|au|aux|chez|bei|beim|na|no|nas|nos|em|op|pa|w|z|ze|nel|nella|alla|sul|sulla|di|i|"
    r"su|pagina|page|seite|strona|stranka|sida|side|strony|ve|por|para|con|avec|mit|med|od)\b)"
)
_ARTICLE = r"(?:l'|le |la |el |il |o |en |de |den |det |der |die |das |ο |η )?"
_MADE = words(
    """entwickelt, gebaut, trainiert, erstellt, geschaffen, programmiert, créé, développ, entraîné, conçu,
    fabriqué, entrenad, desarrollad, cread, hecho por, diseñad, treinad, desenvolvid, criad, feito p,
    sviluppat, creat, addestrat, ontwikkeld, gemaakt, gemaak, getraind, gebouwd, laget, utviklet, trent,
    skapad, utvecklad, tränad, byggd, udviklet, skabt, trænet, kehittäm, kehittän, kehitett, luoma, luotu,
    koulutt, stworzon, opracowan, wytrenowan, vytvořen, vyvinut, vytrénov, vytvoren, dezvoltat, antrenat,
    fejleszt, készít, létrehoz, geliştir, eğit, yarat, oluştur, dikembangkan, dibuat, dilatih, phát triển,
    tạo ra, huấn luyện, đào tạo, ginawa, binuo, sinanay, разработ, создан, созда, обучен, обуч, сделан,
    розробл, створ, навчен, създаден, развијен, napravi, razvi, αναπτύχ, αναπτυγμ, δημιουργ, εκπαιδε, توسعه,
    طور, تطوير, درب, تدريب, أنشأ, صنع, विकसित, बनाया, प्रशिक्षित, פותח, אומן, נוצר, พัฒนา, ฝึก, สร้าง,
    imeundwa, iliyoundwa, desenvolupa, kurta, sukurt, izveid, izstrād, arendat, loodud, treenit, разраб,
    тренир"""
)
_SELF = (
    r"assistent\w*|asistent\w*|asistan\w*|asystent\w*|assistant\w*|modelo|model\w*|modell\w*|sprachmodell\w*|"
    r"spraakmodell\w*|taalmodel|ki|ia|ai|"
    + words(
        """модель, модел, помощник, ассистент, помічник, مساعد, نموذج, सहायक, मॉडल, מודל, עוזר, ผู้ช่วย, โมเดล, trợ lý,
        mô hình, βοηθ, μοντέλο, kielimalli, avustaja, tekoäly, dil modeli, yapay zeka"""
    )
)
_ME = words(
    """мене, меня, mich, m'a, m'ont, me ha, me han, me hizo, mnie, mig, meg, mij, mi ha, mi hanno, me creo, me criou,
    beni"""
)
_WAS = words(
    """ich wurde, j'ai été, fui, he sido, sono stato, ik werd, jeg ble, zostałem, zostałam, byl jsem, am fost"""
)
_AS = words("en tant que, als, como, in quanto, come, som, jako, как, як, olarak, ca, mint, sebagai, là")
_CJK_MADE = (
    "开发|開發|訓練|训练|创建|創建|打造|研发|研發|推出|构建|制作|開発|作られ|作成|学習|トレーニング|構築|提供|"
    "만든|만들|개발|훈련|학습|제작"
)
_CJK_WORKED = "生成|撰写|撰寫|回答|完成|执行|執行|整理"
_CJK_I = (
    "(?:我是|我叫|我的名字(?:是|叫)|本人是|作为|作為|身为|저는|나는|제 이름은|내 이름은|전|"
    "私の名前は|わたしは|僕は|俺は|私は)"
)
_CJK_SELF = (
    "我是|我叫|我的名字|本人|作为|作為|身为|私|僕|わたし|俺|当方|저는|나는|제 이름|제가|전 |"
    "모델|模型|助手|アシスタント|モデル|어시스턴트|비서|ai"
)
_CJK_NOUN = "モデル|アシスタント|ai|人工知能|모델|어시스턴트|인공지능"
_CJK_AFTER = (
    "(?:です|でございます|と申します|といいます|と言います|がお答え|が回答|がお手伝い|がお調べ|より回答|"
    "입니다|이에요|예요|라고 합니다|이라고|가 답|이 답|为您|为你|竭诚|在此|很高兴|来回答)"
)
_CJK_END = '(?=[」』”"\\s、,，。.!！]|と|です|で|，|$|一|的|由|입니다|이|라|야|예|기반|という|だ|开发|模型|助手|为)'
_I = rf"(?<!\w)(?:{_I_AM})(?!\w)"
_IS_SELF = rf"(?<!\w)(?:{_SELF})(?!\w)"


def _rule(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


FOREIGN: dict[str, re.Pattern[str]] = {
    "foreign_i_am": _rule(
        rf"(?<!\w)(?:{_I_AM})(?:[\s,:–—-]+{_NOT_ON}[\w'’]+){{0,3}}?[\s,:–—\"“„«(-]+{_ARTICLE}[\"“„«]?{NAME}"
    ),
    "foreign_made_by": _rule(
        rf"{_I}[^.!?\n]{{0,80}}(?:{_MADE})\w*[^.!?\n]{{0,40}}?{ANY}",
        rf"{_I}[^.!?\n]{{0,40}}{ANY}[^.!?\n]{{0,30}}?(?:{_MADE})",
        rf"{_IS_SELF}[^.!?\n]{{0,40}}?(?:{_MADE})\w*[^.!?\n]{{0,30}}?{ANY}",
        rf"{NAME}[^.!?\n]{{0,30}}?(?:{_MADE})[^.!?\n]{{0,40}}?(?<!\w)(?:{_SELF}|vagyok|olen)(?!\w)",
        rf"(?:^|[.!?,\n] ?)(?:{_WAS})[^.!?\n]{{0,50}}{ANY}",
        rf"(?<!\w)(?:{_ME})(?!\w)[^.!?\n]{{0,30}}(?:{_MADE})\w*[^.!?\n]{{0,30}}?{ANY}",
        rf"{ANY}[^.!?\n]{{0,20}}(?<!\w)(?:{_ME})(?!\w)[^.!?\n]{{0,20}}(?:{_MADE})",
        rf"(?:^|[.!?,\n] ?)(?:{_AS}) [^.!?\n]{{0,20}}{ANY}[^.!?\n]{{0,20}}(?:{_MADE})\w* (?:\w+ )?(?:{_SELF})",
        rf"{ANY}(?:[\w' ]{{0,30}})(?:{words('geliştir, eğit, yarat')})\w*",
    ),
    "foreign_from": _rule(rf"{_I}[^.!?\n]{{0,40}}{_IS_SELF}[^.!?\n]{{0,20}}?{ANY}"),
    "foreign_as": _rule(
        rf"(?:^|[.!?,\n] ?)(?:{_AS}) (?:[\w-]+[ -]){{0,2}}(?:{_SELF}) (?:\w+ ){{0,2}}{ANY}",
        rf"(?:^|[.!?,\n] ?)(?:c'est|aqui|aqui esta|hier|hier ist|qui e|tu|qui) {NAME}(?! (?:plus|pro)\b)",
        rf"{NAME}(?:-?[a-z]{{1,3}})? vagyok\b",
        rf"{NAME} (?:qui (?:vous |te )?(?:parle|repond)|al habla|am apparat|am werk|a votre service|a su servicio|"
        rf"falando)\b",
        rf"(?:^|[.!?,\n] ?)(?:{_AS}) (?:[\w'-]+ ){{0,3}}?{NAME}"
        r"(?=,| (?:je|ich|no|yo|eu|nao|non|io|kan|jeg|jag|ik|nie|я|не)\b)",
    ),
    "cjk_i_am": _rule(
        rf"{_CJK_I}[「『“\"\s、,]*{NAME}{_CJK_END}",
        rf"{NAME}[」』”\"]?{_CJK_AFTER}",
        rf"(?:我是|我叫)[^。！？.!?\n]{{0,10}}的{NAME}(?=[。！!,，]|$)",
        rf"(?:我是|我叫|作为)[^。！？.!?\n]{{0,12}}{ANY}[^。！？\n]{{0,6}}(?:模型|助手|ai|智能)",
    ),
    "cjk_made_by": _rule(
        rf"(?:{_CJK_SELF})[^。！？!?\n]{{0,24}}{ANY}[^。！？!?\n]{{0,10}}(?:{_CJK_MADE})",
        rf"{ANY}[^。！？!?\n]{{0,10}}(?:{_CJK_MADE})[^。！？!?\n]{{0,16}}(?:{_CJK_SELF}|{ANY})",
        rf"由{ANY}[^。！？!?\n]{{0,8}}(?:{_CJK_MADE})",
        rf"由{NAME}[^。！？!?\n]{{0,4}}(?:{_CJK_WORKED})",
        rf"(?:私は|僕は|わたしは|저는|나는){ANY}(?:の|製の|사의|의|에서)? ?(?:\S{{0,6}})(?:{_CJK_NOUN})",
    ),
}

#: Words with which the rules begin, as far as they are in Latin letters; one-letter words are no sign of anything.
_LATIN = (
    frozenset(
        word
        for listed in (_I_AM, _ME, _WAS, _AS)
        for phrase in listed.split("|")
        for word in re.findall("[a-z]{2,}", phrase)
    )
    | set(re.findall("[a-z]{2,}", _SELF))
    | {"c", "gelistir", "vagyok", "qui", "al", "hier", "aqui", "falando"}
)
_OTHER_SCRIPT = re.compile(rf"[^\x00-\x7f{FULL}-{SMALL}]")
_LATIN_WORD = re.compile("[a-z]+")


def may_be_foreign(sentence: Sentence) -> bool:
    """Whether a skeleton holds a letter of another script or a word that a rule of this module begins with."""
    return (
        _OTHER_SCRIPT.search(sentence.text) is not None
        or not _LATIN.isdisjoint(_LATIN_WORD.findall(sentence.text))
        or sentence.text.startswith("a ")
    )
