"""What stands before a name: forms of introduction, fields, titles, greetings and closings in a dozen languages."""

from __future__ import annotations

import re

from governance.redaction.anchors import anchored
from governance.redaction.letters import UPPER
from governance.redaction.nearby import any_of

_LETTER = r"[^\W\d_]"
TOKEN = (
    rf"(?:[{UPPER}](?:{_LETTER}|['-](?={_LETTER})){{0,30}}(?<!'s)|[{UPPER}](?:{_LETTER}|-(?={_LETTER})){{0,30}}|"
    rf"[{UPPER}]\.)"
)
PARTICLE = (
    r"(?:en van|de la|de los|de las|van de[nr]?|von de[rnm]|von und zu|de|del|della|di|da|do|dos|das|du|des|le|la|"
    r"van|von|"
    r"zu|zum|zur|der|den|ter|ten|te|af|av|bin|ibn|bint|al|el|ul|abu|y|e|i|'t|San)"
)
NAME = re.compile(
    rf"(?<![^\W_])(?:{PARTICLE} ){{0,2}}(?:al-|el-|d'|l')?{TOKEN}(?:[ ](?:{PARTICLE} ){{0,2}}(?:al-|el-|d'|D'|"
    rf"O')?{TOKEN}){{0,5}}(?: (?:Jr|Sr)\.?|,? (?:Jr|Sr)\.| I{{2,3}}| The Elder| The Younger)?(?![\w])"
)

_INTRODUCTIONS = (
    r"(?:first|last|full|maiden|family|given|middle) names?|vorname|nachname|prénom|apellidos?|cognome|sobrenome|"
    r"fornavn|etternavn|efternamn|achternaam|voornaam|nazwisko|"
    r"my (?:full |real |first |last |legal )?name(?: is|'s)|(?:his|her|their|your|our|the) (?:\w+ )?name (?:is|was)|"
    r"name is|name to|names are|surname (?:is|was|to)|(?:is|are|was|person|man|woman|bell|guest|someone|somebody|"
    r"contact) (?:named|called)|named|"
    r"under the names?(?: of)?|(?:reserved|booked|registered|filed|listed) (?:under|for|by)|according to|in the "
    r"name of|on behalf of|goes by|known as|correct(?:ed)? (?:it )?to|call me|signed(?: by)?|(?:reviewed|written|"
    r"sent|approved|posted|prepared|created|edited|submitted|authored|requested|reported|uploaded|"
    r"booked|ordered|verified|paid|rented|owned|occupied|witnessed|represented|treated|diagnosed|examined|completed|"
    r"photo|picture|comment|message|post|answer|reply|drawn|assessed) by|"
    r"(?:message|letter|e-?mail|mail|call|regards|greetings|parcel|package|gift|invoice|payment|note|review) "
    r"(?:from|of)|logged in as|signed in as|hello from|"
    r"(?:account|card|policy|licen[cs]e|pass|ticket)[ -]?(?:holder|owner)(?: name| is)?|holder|cardholder(?: name)?|"
    r"beneficiary(?: name| is)?|payee(?: is)?|recipient(?: is)?|addressee|attn\.?|attention|c/o|"
    r"ich hei(?:ß|ss)e|mein name ist|ich bin|heißt|namens|auf den namen|im auftrag von|inhaber(?:in)?|"
    r"kontoinhaber(?:in)?|i\.a\.|gez\.|z\. ?hd\.(?: von)?|"
    r"je m'appelle|mon nom est|je suis|s'appelle|au nom de|nommée?|de la part de|titulaire|"
    r"me llamo|mi nombre es|soy|se llama|a nombre de|llamad[oa]|titular|de parte de|"
    r"mi chiamo|il mio nome è|sono|si chiama|a nome di|di nome|intestat[oa] a|intestatario|"
    r"meu nome é|me chamo|chamo-me|eu sou|chama-se|em nome de|titular|"
    r"mijn naam is|ik heet|ik ben|heet|genaamd|op naam van|t\.n\.v\.|namens|"
    r"jeg heter|jeg hedder|mitt navn er|mit navn er|jeg er|heter|hedder|ved navn|navnet er|jag heter|mitt namn är|"
    r"jag är|vid namn|namnet är|minun nimeni on|nimeni on|olen|"
    r"nazywam się|mam na imię|nazywa się|imieniem|jmenuji se|jmenuje se|a nevem|nevem|mă numesc|numele meu este|"
    r"(?:benim )?ad[ıi]m|ismim|ben|меня зовут|мене звати|με λένε|ονομάζομαι|aku|nama saya|tên tôi là"
)
#: Behind these stands a name, whatever it is.
INTRODUCTIONS = anchored(
    rf"(?<![^\W_]){any_of(_INTRODUCTIONS)}(?: is| ist| est| es| è| é| er| är)?[ ]{{1,2}}[\"'(]?", re.I
)
#: People by what they are to somebody: a name behind them needs no second word to be one.
RELATIONS = anchored(
    r"(?<![^\W_])(?:wife|husband|son|daughter|kid|child|brother|sister|mother|father|mom|mum|dad|uncle|aunt|cousin|"
    r"niece|nephew|grandmother|grandfather|partner|girlfriend|boyfriend|fianc[ée]e?|friend|colleague|"
    r"coworker|boss|manager|neighbou?r|roommate|flatmate|landlord|landlady|tenant|teacher|doctor|dentist|nurse|"
    r"therapist|lawyer|assistant|secretary|client|customer|patient|passenger|traveller|traveler|guest|driver|"
    r"employee|"
    r"student|pupil|candidate|applicant|owner|buyer|seller|witness|victim|suspect|resident|member|participant|"
    r"attendee|visitor|user|caller|contact|instructor|therapist|nanny|"
    r"frau|mann|sohn|tochter|bruder|schwester|mutter|vater|freund(?:in)?|kolleg(?:e|in)|chef(?:in)?|nachbar(?:in)?|"
    r"patient(?:in)?|vermieter(?:in)?|mieter(?:in)?|gast|"
    r"femme|mari|fils|fille|frère|sœur|mère|père|amie?|collègue|voisine?|patiente?|locataire|propriétaire|esposa|"
    r"marido|hijo|hija|hermano|hermana|madre|padre|amig[oa]|compañer[oa]|jef[ea]|paciente|inquilin[oa]|"
    r"moglie|marito|figli[oa]|fratello|sorella|amic[oa]|collega|paziente|filh[oa]|irmão|irmã|mãe|pai|vrouw|zoon|"
    r"dochter|broer|zus|vriend(?:in)?|kone|sønn|datter|venn|venninne|fru|son|dotter|vän|żona|mąż|syn|córka)"
    r"(?: name)?(?:,| is| was|'s name is| called| named| ist| est| es| è| é| er| är)? $",
    re.I,
)

_FIELDS = (
    r"(?:(?:first|last|full|given|family|middle|maiden|sur|user'?s?|customer|client|contact|guest|passenger|patient|"
    r"recipient|sender|beneficiary|cardholder|holder|payee|account|billing|shipping|display|real|legal|nick|"
    r"father'?s|mother'?s|"
    r"employee|student|owner|child|tenant|applicant|card|traveller|traveler|author|buyer|seller)[ _-]?)?names?(?: "
    r"on (?:the )?(?:card|account|document))?|surname|forename|initials|fname|lname|firstname|lastname|fullname|"
    r"givenname|familyname|"
    r"(?:sender|recipient|beneficiary|cardholder|account holder|holder|payee|payer|passenger|traveller|traveler|"
    r"guest|patient|tenant|landlord|applicant|candidate|employee|student|customer|client|member|owner|author|"
    r"contact|contact person|"
    r"attn|attendee|participant|speaker|signed|signature|user|speaker|from|to|cc|bcc|reviewer|assignee|assigned to|"
    r"reporter|driver|insured|policyholder|next of kin|emergency contact|manager|supervisor|witness|doctor|"
    r"physician|teacher|parent|guardian|"
    r"first(?==)|last(?==)|host|organi[sz]er|billed to|ship to|bill to|sold to|deliver to|delivered to|name of "
    r"[a-z]+)(?: \d)?|"
    r"vor- und nachname|vorname|nachname|familienname|zuname|vollständiger name|empf[äa]nger(?:in)?|absender(?:in)?|"
    r"inhaber(?:in)?|kontoinhaber(?:in)?|karteninhaber(?:in)?|ansprechpartner(?:in)?|kontakt|gast|patient(?:in)?|"
    r"kunde|kundin|mieter|unterschrift|fahrer|"
    r"nom(?: complet| de famille| et prénom)?|pr[ée]nom|destinataire|exp[ée]diteur|titulaire|passager|"
    r"b[ée]n[ée]ficiaire|"
    r"nombre(?: completo| y apellidos?)?|apellidos?|destinatari[oa]|remitente|titular|pasajer[oa]|beneficiari[oa]|"
    r"contacto|"
    r"nome(?: completo| e cognome)?|cognome|mittente|intestatario|passeggero|contatto|referente|sobrenome|remetente|"
    r"passageiro|contato|"
    r"(?:voor|achter|familie)?naam|ontvanger|afzender|rekeninghouder|contactpersoon|"
    r"(?:for|etter|efter|full[ts]? |fulle )?(?:navn|namn)|fornavn|etternavn|efternavn|f[öo]rnamn|efternamn|mottaker|"
    r"modtager|mottagare|avsender|afsender|kontohaver|kontoinnehavare|etunimi|sukunimi|nimi|vastaanottaja|"
    r"imi[ęe](?: i nazwisko)?|nazwisko|odbiorca|nadawca|posiadacz|jm[ée]no|p[řr][íi]jmen[íi]|n[ée]v|"
    r"vezet[ée]kn[ée]v|keresztn[ée]v|nume(?:le)?|prenume(?:le)?|"
    r"ad(?:[ıi])?(?: soyad[ıi]?)?|soyad(?:[ıi])?|isim|al[ıi]c[ıi]|g[öo]nderen|yolcu|имя|фамилия|фио|получатель|ім'я|"
    r"прізвище|όνομα|επώνυμο|nama|họ (?:và )?tên"
)
FIELDS = anchored(
    rf"(?:(?<![^\W_]){any_of(_FIELDS)}|(?<=[a-z])(?:Name))(?![^\W\d_])[\"'\])]{{0,3}} ?(?:[:=>]|<-|->|\t|\||\"? ?, "
    rf"?\"?(?:value|text)\"? ?[:=]|\n){{1,2}}\s{{0,2}}[\"']?",
    re.I,
)
#: Fields typed into by an agent: the value in quotes before or behind the field's name.
TYPED_BEHIND = anchored(
    rf"(?<![^\W_]){any_of(_FIELDS)}[\"'\])]{{0,3}} (?:field |box |input )?(?:with|to|as|is|was|=) [\"']", re.I
)
TYPED_BEFORE = re.compile(
    rf"[\"']([^\"'\n]{{2,60}})[\"'][)]? (?:into|in|to|for|as) (?:the |#|field |input "
    rf")?[\"'\[(#]{{0,3}}{any_of(_FIELDS)}(?![^\W\d_])",
    re.I,
)

TITLES = anchored(
    r"(?<![^\W_])(?:(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Rev|Sir|Dame|Lady|Hon|Capt|Sgt|Lt|Judge|Officer|Nurse|"
    r"Madam|Messrs|"
    r"Herrn?|Frau|Hr|Fr|Dipl|Ing|Mag|MM|Mme|Mlle|Madame|Monsieur|Mademoiselle|Maître|Me|Docteur|Señora?|Sra?|Srta|"
    r"Señorita|Don|Doña|D|Dña|Dra|Signora?|Signor|Signore|Sig|Sig\.ra|Dott|Dott\.ssa|Dottor|Dottoressa|Avv|Ing|"
    r"Prof\.ssa|"
    r"Senhora?|Doutora?|Dona|Dhr|Mevr|Mw|Meneer|Mevrouw|De heer|heer|signora?|signor|señora?|madame|monsieur|"
    r"senhora?|mevrouw|meneer|mr|mrs|ms|dr|Fru|Frøken|Fröken|Pana?|Pani|Państwo|Pán|Paní|Bay|Bayan|Sayın|г-н|"
    r"г-жа)\.?(?: (?:Dr|Prof|Ing|med|jur|h\.c|Mag)\.?){0,2} )(?=[\w'])"
)
_GREETINGS = (
    r"(?:Dear(?:est)?|Hi|Hello|Hey|Hiya|Greetings|Good "
    r"(?:morning|afternoon|evening|day)|Welcome(?: back)?|Thanks|Thank you|Congratulations|Hi there|Happy birthday|"
    r"Hallo|Liebe[r]?|Lieber|Sehr geehrter?|Guten (?:Tag|Morgen|Abend)|Grüß Gott|Servus|Moin|Willkommen|Bonjour|"
    r"Bonsoir|Salut|Ch[eè]re?|Coucou|Bienvenue|Hola|Estimad[oa]|Querid[oa]|Buenos días|Buenas tardes|Bienvenid[oa]|"
    r"Ciao|Car[oa]|Gentile|Gentilissim[oa]|Buongiorno|Buonasera|Salve|Egregio|Spett\.le|Olá|Oi|Prezad[oa]|Car[oa]|"
    r"Bom dia|Boa tarde|Bem-vind[oa]|Beste|Geachte|Lieve|Hoi|Dag|Goedemorgen|Goedemiddag|"
    r"Hei|Hej|Kj[æa]re|Kära?|Bästa|K[æa]re|Heisann|God (?:dag|morgen|kveld)|Terve|Moi|Hyvä|Arvoisa|Cześć|Drog[ia]|"
    r"Szanown[ya]|Witaj|Witam|Dzień dobry|Ahoj|Dobrý den|Vážen[ýá]|Mil[ýá]|Szia|Kedves|Tisztelt|Bun[ăa]|Drag[ăa]|"
    r"Dragul|Stimat[eă]|"
    r"Merhaba|Sayın|Selam|Sevgili|Привет|Здравствуйте|Уважаем\w+|Дорог\w+|Γεια σου|Αγαπητ\w+)(?: (?:Herrn?|Frau|"
    r"Madame|Monsieur|Señora?|Mr\.?|Mrs\.?|Ms\.?|Dr\.?|Prof\.?|Signora?|Signor|Senhora?|heer|mevrouw|Pani?e?|"
    r"pan[eí]|panie|pani|herra|fru|hr\.?|"
    r"Panie)){0,2},? "
)
GREETINGS = re.compile(rf"(?:(?:^|(?<=[\n\"'>:.!?])|(?<=[:.!?,\"] ))\s{{0,3}}|(?<=\s)){_GREETINGS}")
#: What a greeting needs at the least. It is looked for first, since a greeting can begin with any space.
SOME_GREETING = anchored(_GREETINGS)
_CLOSINGS = (
    r"regards|kind regards|best regards|best wishes|best|sincerely|yours(?: truly| sincerely| faithfully)?|"
    r"faithfully|cheers|thanks|thank you|many thanks|love|respectfully|cordially|warmly|take care|xoxo|"
    r"(?:mit )?(?:freundlichen?|besten?|herzlichen?|lieben?|viele|schöne) grü(?:ß|ss)en?|viele grüße|liebe grüße|grüße|"
    r"hochachtungsvoll|mfg|lg|gruß|cordialement|bien à vous|bien cordialement|sincères salutations|amicalement|"
    r"bises|merci|"
    r"(?:un |cordiales |atentos )?saludos?|atentamente|un abrazo|gracias|cordiali saluti|distinti saluti|un saluto|"
    r"saluti|grazie|"
    r"(?:com os melhores )?cumprimentos|atenciosamente|abraços?|obrigad[oa]|(?:met )?(?:vriendelijke|hartelijke) "
    r"groet(?:en)?|groet(?:en|jes)?|mvg|bedankt|"
    r"(?:med )?(?:vennlig|venlig|beste|vänliga?|bästa) hils(?:en|ninger)|(?:med )?(?:vänliga?|bästa) hälsningar?|"
    r"hilsen|hälsningar|mvh|hvh|takk|tack|ystävällisin terveisin|terveisin|kiitos|"
    r"(?:z )?pozdrowieni(?:ami|a)|pozdrawiam|z poważaniem|dziękuję|s pozdravem|üdvözlettel|cu stimă|"
    r"saygılar(?:ımla)?|sevgiler|teşekkürler|с уважением|спасибо"
)
CLOSINGS = anchored(
    rf"(?<![^\W_]){any_of(_CLOSINGS)}[,.!:;-]{{0,2}}\s{{0,2}}(?:\n\s{{0,4}}|(?<=,) ?|(?<=- ))(?:-{{1,2}} ?)?", re.I
)
#: Closings that are nothing else, so that the name may follow on the same line.
CLOSINGS_ON_ONE_LINE = anchored(
    r"(?<![^\W_])(?:hälsningar|hilsen|grüße|gruß|saludos|groet(?:en|jes)?|pozdrawiam|mvh|mfg|cumprimentos|"
    r"saygılar(?:ımla)?|"
    r"saluti|cordialement|terveisin|üdvözlettel) ",
    re.I,
)
#: Verbs and prepositions between people; the name behind needs two words, or to be a known given name.
DIRECTED = anchored(
    r"(?<![^\W_])(?:(?:speak|spoke|spoken|talk|talked|talking|met|meet|meeting|follow(?:ed)? up|appointment|lunch|"
    r"dinner|interview|call|chat|coffee|reservation|living|lives|together|share[d]?|sharing|consult|check|catch up|"
    r"sync|liaise|stay|staying|travel|travelling) with|"
    r"(?:speak|spoke|talk|talked|assigned|delivered|deliver|addressed|belongs?|reported|reports|forward(?:ed)?(?: "
    r"(?:this|it|that))?|(?:made|paid) (?:out )?|transfer(?:red)?|send(?: (?:this|it|that|money|the \w+))?|sent|"
    r"ship(?:ped)?(?: it)?|give(?: it)?|given|wrote|write|"
    r"handed(?: over)?|issued|sold|registered|married|engaged|related|introduced|refund|payable|changed?|"
    r"update(?:d)?|rename(?:d)?|out) to|(?:booking|reservation|room|table|ticket|seat|appointment|parcel|package|"
    r"order|invoice|delivery|"
    r"gift|present|account|ask(?:ing)?|look(?:ing)?|search(?:ing)?|booked|reserved|registered|issued|prescription|"
    r"birthday party|visa|check|cheque|looking|desk|waiting|vote[d]?|flight|confirmed|policy|pick ?up|a message) "
    r"for|"
    r"add(?:ed|ing)?|contact(?:ed)?|invite[d]?|call(?:ed)?|phone[d]?|e-?mail(?:ed)?|tell|told|ask(?:ed)?|meet|met|"
    r"visit|remind(?:ed)?|pay|paid|notify|notified|cc|thank|remove[d]?|hire[d]?|fire[d]?|this is|it's|it is|i am|"
    r"i'm|here is|was|is|and|with|from|by|for|to|at|behalf of|about|"
    r"mit|von|für|an|bei|avec|pour|chez|par|con|para|por|da|per|com|med|fra|från|till|hos|met|voor|van|aan|dla|od|z|"
    r"u|w|ve|ile|için) [\"'(]?$",
    re.I,
)
_HAN, _KANA, _HANGUL = "\u3005\u4e00-\u9fff", "\u3040-\u30ff", "\uac00-\ud7a3"
UNCASED = anchored(
    rf"(?:姓名|名字|联系人|聯絡人|收件人|收货人|持卡人|乘客|患者|户名|开户名|真实姓名|用户名?姓名|氏名|名前|"
    rf"お名前|ご氏名|宛名|宛先|担当者?|受取人|名義人?|カード名義|口座名義|"
    rf"フルネーム)\s?[:=は]?\s?(?P<a>[{_HAN}{_KANA}]{{1,8}}(?:[ ・·][{_HAN}{_KANA}]{{1,8}})?)"
    rf"|(?:이름|성명|성함|수령인|예금주|받는 사람|고객명)\s?[:=은는]?\s?(?P<b>[{_HANGUL}]{{2,4}}(?:[ "
    rf"][{_HANGUL}]{{1,3}})?)"
    rf"|(?:私は|私の名前は|我叫|我是|我的名字是|我的名字叫|本人)\s?(?P<c>[{_HAN}{_KANA}]{{1,5}} "
    rf"[{_HAN}{_KANA}]{{1,5}}|[{_HAN}]{{2,4}}|"
    rf"[{_HAN}{_KANA}]{{2,8}})(?=です|と申|[,.\s]|$)"
    rf"|(?:제 이름은|저는)\s?(?P<d>[{_HANGUL}]{{2,4}}?)(?=입니다|이에요|예요|이고)"
    rf"|(?P<e>[{_HAN}]{{2,4}}|[{_HAN}{_KANA}]{{1,4}} [{_HAN}{_KANA}]{{1,4}})(?=様|さん|殿|先生|女士|小姐)"
    r"|(?:नाम|पूरा नाम|प्राप्तकर्ता|ग्राहक|यात्री|मरीज़|खाताधारक|मेरा नाम|श्री|श्रीमती|"
    r"प्रिय)\s?[:=]?\s?(?P<f>[\u0900-\u0963\u0970-\u097f]{2,20}(?:[ ](?!है|हूँ|"
    r"और)[\u0900-\u0963\u0970-\u097f]{2,20}){0,2})"
    r"|(?:الاسم(?: الكامل)?|اسم (?:العميل|المستلم|المريض|صاحب الحساب)|اسمي|السيدة?|المستلم|العميل|عزيزي|عزيزتي|"
    r"أنا)\s?[:=]?\s?(?P<g>[\u0621-\u065f\u0670-\u06d3]{2,20}(?:[ ][\u0621-\u065f\u0670-\u06d3]{2,20}){0,4})"
    r"|(?:שם(?: מלא)?|שמי)\s?[:=]?\s?(?P<h>[\u05d0-\u05ea]{2,20}(?:[ ][\u05d0-\u05ea]{2,20}){0,2})"
    r"|(?:ชื่อ)\s?[:=]?\s?(?P<i>[\u0e00-\u0e7f]{2,30}(?:[ ][\u0e00-\u0e7f]{2,30})?)"
)

#: A known given name near one of these is more likely somebody's everybody knows, or a title, place or product.
PUBLIC_BEFORE = re.compile(
    r"(?<![^\W_])(?:(?:albums?|songs?|films?|movies?|novels?|books? (?:by|of|about|from)|poems?|poetry|sonnets?|"
    r"plays? (?:by|of)|paintings?|painter|biography|autobiography|wikipedia|concerts?|tour dates|lyrics|soundtrack|"
    r"discography|filmography|quotes?|theorem|music|listen|statue|prize|award|actor|actress|singer|band|artist|"
    r"composer|football(?:er)?|episode|season|series|trailer|documentary|exhibition|essay|works of|symphony|opera|"
    r"sculpture|directed|starring|feat\.?|directions to|near|flights? (?:to|from)|weather in|trip to|guide to|buy|"
    r"order (?:a|two|three|some)|shop for|search results for)(?![^\W_])[^\n]{0,30}"
    r"|(?:airport|station|street|square|university|college|stadium|museum|theatre|theater|hospital|cathedral|church|"
    r"bridge|foundation|institute|president|prime minister|king|queen|emperor|hotels?|restaurants?|caf[ée]|bar|brand|"
    r"perfume|visit|rue|via|piazza|plaza|place)(?: de| of| du| von| by)?[ ,]{1,2})$",
    re.I,
)
PUBLIC_BEHIND = re.compile(
    r"(?:'s)? (?:\w+ )?(?:shirts?|jackets?|shoes?|boots|jeans|dress(?:es)?|belts?|bags?|perfume|watch(?:es)?|"
    r"whisk(?:e)?y|beer|wine|ice cream|guitars?|sunglasses|fragrance|cologne|sneakers|trainers|coat|sweater|suit|"
    r"store|wallet|cream|pizza|burger|rice|"
    r"albums?|songs?|films?|movies?|novels?|books?|biography|airport|station|street|square|university|college|"
    r"stadium|museum|theatre|theater|hospital|cathedral|church|bridge|park|prize|award|foundation|institute|hotel|"
    r"beach|lyrics|discography|"
    r"concert|quotes?|tickets|exhibition|trailer|symphony|gave a speech|founded)(?![^\W_])",
    re.I,
)
ARTICLE = re.compile(
    r"(?<![^\W_])(?:an|the|ein|eine|einen|der|die|das|une?|el|los|las|il|een|et|en|ett|this|that|these|buy|new|"
    r"two|three|four|\d+|santa|san|saint|sankt|st\.?|mount|mt\.?|north|south|east|west|fort|port|lake|uncle|aunt|"
    r"bloody|&) $",
    re.I,
)
