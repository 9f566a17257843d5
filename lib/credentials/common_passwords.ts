/** Words, names and keyboard patterns that attackers try first. Loaded only on demand. */

/** Words that are refused alone and with a few digits or signs around them. */
// deno-lint-ignore corbel/wording -- Passwords are any words.
const WORDS = `
abcdef abcdefg abcdefgh abcdefghi abcdefghij abigail access accessdenied acdc admin administrator admiral adventure
africa agent007 airforce airplane airport ajax aladdin alaska alejandra alejandro alexander alexandra alien aliens
allah alpha alphabet amanda amazing amazon america american andrew android angel angelica angelina angelito angels
anonymous anthony anybody anyone anything aoeu apollo apple apples april aragorn argentina ariel army arsenal asdf
asdfg asdfgh asdfghj asdfghjk asdfghjkl asdzxc ashley assassin athens atlanta atlantis audi august aurora australia
autumn avengers avocado awesome awesomeness azerty azertyuiop baby babyboy babydoll babygirl babylon babylove backup
bacon bailey banana bananas bangkok bank banking barbaz barbecue barcelona bart bartman baseball basketball batman
battlestar bayern beach bear bears beatles beautiful beauty beckham beethoven beijing belle benfica bentley berlin
beyonce bgt bible bicycle bieber bienvenue biker billion birthday blabla blablabla black blackcat blackdragon
blackpink blahblah bless blessed blessing blink blizzard blue blueberry bluedragon bluesky bmw boating bombay bond007
bonjour boston brasil braves bravo brazil breakingbad britney bronco broncos brooklyn brownie bruce brucelee bubblegum
bubbles buddha buddy budweiser bugatti bulldog bulldogs bulls bunny burger burrito business buster butter buttercup
butterfly butterscotch buzz cactus cairo california callofduty camaro camping campus canada canadian candy captain
captain1 carlos carolina caroline cars cartman catherine cde celtic celtics challenger champion champions change
changeit changeme charger chargers charizard charles charlie charlie1 cheese cheetah chelsea cherries cherry chevrolet
chevy chewbacca chicago chicken chickennugget chile china chocolate christ christian christina christine christmas
christophe christopher chucknorris church cinderella cinnamon climbing cobra cocacola coffee coldplay college colombia
colonel commander company computer contrasena cookie cookies cooking cool cooldude coolguy coolman cooper corbel
corporate corvette cosmos cougar counterstrike cowboy cowboys creditcard cricket crimson cristian cristina crystal
cubs cupcake cutie cutiepie cycling daenerys daisy dalek dallas dancer dancing danger dangerous daniel danielle
darkangel darkknight darkness darling darthvader darwin database david davidson davinci debian december default delhi
delta demo demon demons denver desert desktop detroit deutschland devil diablo diamond diamonds digimon docker doctor
doctorwho dodge dodgers doggy dollar dollars dolphin dolphins donald donkey dontforget dontknow doom dortmund dracarys
dracula dragon dragonball driver drummer ducati ducky duke dumbledore dvorak dynamite dynamo eagle eagles earthquake
easter echo edison eduardo egypt einstein elephant elizabeth elsa emerald eminem energy england enterprise epsilon
espana espresso everton everybody everyone everything example excellent explorer extreme facebook fairy faith falcon
familyguy fantastic farmer february federer fedora fernandez fernando ferrari finance findingnemo fire fireball
firefighter firefly fireman firewall fisherman fishing flame florida flower flowers flyer flying foobar foobarbaz
football ford forest forever foreverlove forgot forgotten fortnite fortune foxtrot france freedom friday friends frodo
frozen fussball futbol galactica galaxy galileo gameofthrones gamer gaming gamma gandalf ganesh garden gardener
garfield general genius george germany ghost ghosts giants ginger giraffe github gitlab gladiator glory god godisgood
goku golden goldeneye goldfinger golf golfer golfgti gonzalez goodbye goodday goodluck goodmorning goodnight goofy
google goose gorgeous gospel grace greece green greenday greywolf gryffindor guacamole guest guinness guitar guitars
gummybear hacker hackers hacking hahaha hahahaha hallelujah hallo halloween halo hamlet hamster handsome hannah
hansolo happiness happy harley harrison harrypotter haslo hawaii hawk heaven heavenly hehehe heineken heisenberg hello
hellohello hellokitty helloworld hermione hernandez hero heroes heslo hiking hithere hobbit hockey hogwarts holiday
holmes homer honda honey honeybee hope horse horses hostmaster hotdog hotel hottie houston hugs hulk hunter hunting
hurricane ice icecream iceman idontknow iforgot ilovegod iloveu iloveyou impossible imsocool incredible incredibles
india indonesia inferno instagram inter internet iphone ireland irish ironmaiden ironman islam island istanbul italia
italy itsme jackiechan jackson jaguar jakarta jake jamesbond january japan jasmine java javascript jellybean jennifer
jessica jesus jesuschrist jetta jonathan jonsnow jordan jordan23 joseph josephine joshua journey julian juliana juliet
juliett jungle jupiter justice justin justme juventus karate kathleen kawasaki kenneth kenny kenya ketchup kevin
keyboard khaleesi killer killers kilo kimberly king kings kisses kissme kitchen kitten kittens kitty knight kobe korea
korn krishna kristina kubernetes kungfu lakers lalala lalalala lambda lamborghini lannister laptop lasvegas laura
lauren leagueoflegends lebron ledzeppelin legend legendary legends legolas lemon leonard leonardo leopard letitgo
letmein letmeinnow liberty library lieutenant lightning lightyear lily lima lindsay linkedin linkinpark linux lion
lions lisa lisboa liverpool lkjhgfdsa login logon lollipop london lonewolf lorenzo losangeles louise lovely loveme
lover lovers loveyou lozinka lucas lucifer lucky luckyme luffy luigi macintosh madagascar madison madonna maggie
maggie1 malaysia manager manchester mancity manhattan manila manutd maradona march marcus margaret marge maria mariana
marina marine marines mario mars marshmallow martin martinez marvel maserati master mastermind matrix matthew maverick
maximum maxwell mazda mcqueen meadow meandyou megadeth melbourne melissa mercedes mercury merlin mermaid messi
metallica mets mewtwo mexican mexico miami michael michelle mickey microsoft mike milan million millionaire minecraft
minnie mission mju mnbvcxz molly monday money moneymoney mongo mongodb monica monique monitor monkey monkeys monster
monsters moon moonbeam moonlight morpheus moscow moskva motdepasse mountain mozart muffin muhammad mulder mumbai music
musica musical mustang mustard mylove myloves mysql nachos nadal naruto natalie natasha nathan navy nemo neo netflix
network newton newyear newyork newzealand neymar nhy nicholas nicole nigeria ninja nintendo nirvana nissan nitro
nobody nonono noodles noone nothing november november1 number numberone nurse nutella ocean october office oliver
olivia omega onedirection onepiece onlyme opensesame openup operator oracle orange orchid oreo oscar overwatch packers
pacman pakistan pamela pancake panda pandas panther panthers papa paris parker parola parrot passw0rd passwd password
passwort patricia patrick patrickstar patriots peace peach peanut pele penguin penguins pepper pepsi perfect peru
peter philip philippines phillip phoenix phoenix1 piano picasso pikachu pilot pink pinkfloyd pirate pirates pizza
planet platinum player playstation please pleaseletmein pluto pocahontas poiuytrewq pokemon poland police polska pony
pooh poohbear porsche porto portugal postgres postgresql postmaster potter power powerful predator pretty prince
princesa princess princess1 princesses printer prinzessin private private1 psalms puma pumpkin puppies puppy purple
python qazwsx qazwsxedc quake quebec queen queenband quesadilla qweasd qweasdzxc qwer qwert qwerty qwertyu qwertyui
qwertyuiop qwertz qwertzuiop rabbit racer rachel rachelgreen racing radiohead raiders railway rainbow rambo ramen
rangers raven ravens realmadrid rebecca red reddragon redis redskins redsox remember ricardo richard rickandmorty
rider rihanna river robert roberto roblox rocket rocky rocky1 rodriguez romeo romeo1 ronaldo root rose roses ruby
rugby running russia sabrina sadie saigon sailing sailor sakura salasana samantha sammy sample samsung samuel samurai
sandiego sandra sanfrancisco sapphire sarah sasuke satan saturday saturn sausage scarlet school scooby scoobydoo
scooter scorpion scotland scully seattle sebastian secret secretagent security seinfeld selena senha seoul september
serenity sergeant server sexy sexygirl shadow shadow1 shakespeare shakira shanghai shaquille shark sharks sherlock
shrek shuttle sierra sigma signin silver simba simpsons singapore singer skateboard skater skating skittles sky
skyfall skywalker slipknot slytherin smile smiley snake snapchat snickers sniper snoopdogg snoopy snow snowball
snowboard snowflake snowman snowwhite soccer softball soldier somebody someone something sonic sophia sophie southpark
spain sparky spartan speed speedy spider spiderman spongebob spotify spring sqlite stallion star starcraft stargate
stark starlight stars startrek starwars station steelers stephanie stephen steven stewie storm strawberry strength
strong student subaru success sugar sugarplum summer sun sunday sunflower sunny sunrise sunset sunshine super
superhero superman supernova superstar superuser surfing susan sushi suzuki sweetheart sweetie sweetlove sweetness
sweetpea swift swimming sydney sysadmin system taco tango tardis taylor teacher teddy telegram temp temporary tennis
tequila terminator tesla tesla1 test tester testing testtest tetris texas thailand thankyou theta thomas thunder
thursday tiffany tiger tigers tigger tiktok timothy tinkerbell toby tokyo tommy toor topgun topsecret tornado
tottenham toyota toystory train traveler treasure trinity trucker truelove trustno tuesday tulip tupac turbo turkey
turtle twinkie twinkle twitter typescript tyson ubuntu ukraine ultimate unicorn uniform universe university user
username vacation vader valentina valeria valerie vampire vampires vanessa vanilla vegas vegeta venus veronica vfr
victor victoria victory vietnam vincent violet violin viper viperpilot visitor vladimir vodka volcano voldemort
volkswagen volleyball volvo voyager wachtwoord waffles walter walterwhite warcraft warrior warriors warszawa wasd
watson webmaster wednesday weekend welcome welkom werewolf wesley whale whatever whatever1 whatsapp whiskey whiskey1
white whitetiger whitewolf whoami william willkommen windows winner winners winnie winston winter winteriscoming
wizard wolf wolverine wolves wonderful woody worldofwarcraft xbox xfiles xmas xray xsw yamaha yankee yankees yellow
yesyes yoda youandme youtube yxcvbnm zachary zaq zelda zombie zombies zulu zxcv zxcvb zxcvbn zxcvbnm
`;

/** Passwords that are refused only exactly as they are. */
const EXACT_PASSWORDS = `
!@#$%^&* !@#$%^&*() !qaz2wsx !qaz@wsx 00000000 000000000 0000000000 000000000000 00000007 00112233 01010101 0101010101
01011940 01011941 01011942 01011943 01011944 01011945 01011946 01011947 01011948 01011949 01011950 01011951 01011952
01011953 01011954 01011955 01011956 01011957 01011958 01011959 01011960 01011961 01011962 01011963 01011964 01011965
01011966 01011967 01011968 01011969 01011970 01011971 01011972 01011973 01011974 01011975 01011976 01011977 01011978
01011979 01011980 01011981 01011982 01011983 01011984 01011985 01011986 01011987 01011988 01011989 01011990 01011991
01011992 01011993 01011994 01011995 01011996 01011997 01011998 01011999 01012000 01012001 01012002 01012003 01012004
01012005 01012006 01012007 01012008 01012009 01012010 01012011 01012012 01012013 01012014 01012015 01012016 01012017
01012018 01012019 01012020 01012021 01012022 01012023 01012024 01012025 01012026 01012027 01012028 01012029 02020202
0202020202 03030303 0303030303 04040404 0404040404 05050505 0505050505 06060606 0606060606 07070707 0707070707
08080808 0808080808 09090909 0909090909 09870987 0987609876 09876123 098765098765 098765123 09876541 0987654123
09876543 098765431 09876543123 098765432 0987654321 09876543211 098765432123 098765567890 0987667890 09877890 10001000
10011001 10101010 1010101010 10111011 11001100 11011101 11101110 11111111 111111111 1111111111 111111111111 11121112
11131113 11141114 11151115 11161116 11171117 11181118 11191119 11211121 11221122 11223344 1122334455 112233445566
11311131 11331133 11411141 11441144 11511151 11551155 11611161 11661166 11711171 11771177 11811181 11881188 11911191
11991199 12111211 12121212 121212121 1212121212 12211221 12221222 12311940 12311941 12311942 12311943 12311944
12311945 12311946 12311947 12311948 12311949 12311950 12311951 12311952 12311953 12311954 12311955 12311956 12311957
12311958 12311959 12311960 12311961 12311962 12311963 12311964 12311965 12311966 12311967 12311968 12311969 12311970
12311971 12311972 12311973 12311974 12311975 12311976 12311977 12311978 12311979 12311980 12311981 12311982 12311983
12311984 12311985 12311986 12311987 12311988 12311989 12311990 12311991 12311992 12311993 12311994 12311995 12311996
12311997 12311998 12311999 12312000 12312001 12312002 12312003 12312004 12312005 12312006 12312007 12312008 12312009
12312010 12312011 12312012 12312013 12312014 12312015 12312016 12312017 12312018 12312019 12312020 12312021 12312022
12312023 12312024 12312025 12312026 12312027 12312028 12312029 123123123 123321123 12341234 12344321 12345123
1234512345 123454321 1234554321 123456123 123456123456 123456654321 12345671 1234567123 12345678 123456781 12345678123
123456789 1234567890 12345678901 1234567891 123456789123 123456789a 12345678a 1234567a 12345abc 1234abcd 1234asdf
1234qwer 123654789 123abc123 123qwe123 123qwe123qwe 123qweasd 123qweasdzxc 13111311 13131313 131313131 1313131313
13311331 13331333 13371337 1337leet 14111411 14141414 1414141414 14411441 14441444 147147147 14725836 147258369
15111511 15151515 1515151515 15511551 15551555 159357159 159357456 159753159 16111611 16161616 1616161616 16180339
16611661 16661666 17111711 17171717 1717171717 17711771 17771777 18111811 18181818 1818181818 18811881 18881888
19111911 19191919 1919191919 19301930 19311931 19321932 19331933 19341934 19351935 19361936 19371937 19381938 19391939
19400101 19401940 19410101 19411941 19420101 19421942 19430101 19431943 19440101 19441944 19450101 19451945 19460101
19461946 19470101 19471947 19480101 19481948 19490101 19491949 19500101 19501950 19510101 19511951 19520101 19521952
19530101 19531953 19540101 19541954 19550101 19551955 19560101 19561956 19570101 19571957 19580101 19581958 19590101
19591959 19600101 19601960 19610101 19611961 19620101 19621962 19630101 19631963 19640101 19641964 19650101 19651965
19660101 19661966 19670101 19671967 19680101 19681968 19690101 19691969 19700101 19701970 19710101 19711971 19720101
19721972 19730101 19731973 19740101 19741974 19750101 19751975 19760101 19761976 19770101 19771977 19780101 19781978
19790101 19791979 19800101 19801980 19810101 19811981 19820101 19821982 19830101 19831983 19840101 19841984 19850101
19851985 19860101 19861986 19870101 19871987 19880101 19881988 19890101 19891989 19900101 19901990 19910101 19911991
19920101 19921992 19930101 19931993 19940101 19941994 19950101 19951995 19960101 19961996 19970101 19971997 19980101
19981998 19990101 19991999 1a2b3c4d 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 20000101 20002000 20010101
20012001 20020101 20022002 20030101 20032003 20040101 20042004 20050101 20052005 20060101 20062006 20070101 20072007
20080101 20082008 20090101 20092009 20100101 20102010 20110101 20112011 20120101 20122012 20130101 20132013 20140101
20142014 20150101 20152015 20160101 20162016 20170101 20172017 20180101 20182018 20190101 20192019 20200101 20202020
2020202020 20210101 20212021 20220101 20222022 20230101 20232023 20240101 20242024 20250101 20252025 20260101 20262026
20270101 20272027 20280101 20282028 20290101 20292029 21212121 2121212121 22222222 222222222 2222222222 222222222222
23232323 2323232323 23452345 23455432 23456123 2345623456 2345665432 234567123 234567234567 234567765432 23456781
2345678123 23456789 234567890 2345678901 234567890123 234567891 23456789123 24242424 2424242424 25121940 25121941
25121942 25121943 25121944 25121945 25121946 25121947 25121948 25121949 25121950 25121951 25121952 25121953 25121954
25121955 25121956 25121957 25121958 25121959 25121960 25121961 25121962 25121963 25121964 25121965 25121966 25121967
25121968 25121969 25121970 25121971 25121972 25121973 25121974 25121975 25121976 25121977 25121978 25121979 25121980
25121981 25121982 25121983 25121984 25121985 25121986 25121987 25121988 25121989 25121990 25121991 25121992 25121993
25121994 25121995 25121996 25121997 25121998 25121999 25122000 25122001 25122002 25122003 25122004 25122005 25122006
25122007 25122008 25122009 25122010 25122011 25122012 25122013 25122014 25122015 25122016 25122017 25122018 25122019
25122020 25122021 25122022 25122023 25122024 25122025 25122026 25122027 25122028 25122029 25252525 2525252525
258258258 26262626 2626262626 27182818 271828182 27272727 2727272727 28282828 2828282828 29292929 2929292929 30303030
3030303030 31121940 31121941 31121942 31121943 31121944 31121945 31121946 31121947 31121948 31121949 31121950 31121951
31121952 31121953 31121954 31121955 31121956 31121957 31121958 31121959 31121960 31121961 31121962 31121963 31121964
31121965 31121966 31121967 31121968 31121969 31121970 31121971 31121972 31121973 31121974 31121975 31121976 31121977
31121978 31121979 31121980 31121981 31121982 31121983 31121984 31121985 31121986 31121987 31121988 31121989 31121990
31121991 31121992 31121993 31121994 31121995 31121996 31121997 31121998 31121999 31122000 31122001 31122002 31122003
31122004 31122005 31122006 31122007 31122008 31122009 31122010 31122011 31122012 31122013 31122014 31122015 31122016
31122017 31122018 31122019 31122020 31122021 31122022 31122023 31122024 31122025 31122026 31122027 31122028 31122029
31313131 3131313131 31337313 31415926 314159265 3141592653 321321321 32323232 3232323232 33333333 333333333 3333333333
333333333333 34343434 3434343434 34563456 34566543 34567123 3456734567 3456776543 345678123 345678345678 345678876543
34567890 345678901 34567890123 34567891 3456789123 35353535 3535353535 36363636 3636363636 36925814 369258147 37373737
3737373737 38383838 3838383838 39393939 3939393939 40404040 4040404040 41414141 4141414141 420420420 42424242
4242424242 43211234 43214321 43434343 4343434343 44444444 444444444 4444444444 444444444444 45454545 4545454545
45674567 45677654 45678123 4567845678 4567887654 45678901 4567890123 456789123 456789456789 456789987654 46464646
4646464646 47474747 4747474747 48484848 4848484848 49494949 4949494949 50505050 5050505050 51515151 5151515151
52525252 5252525252 53535353 5353535353 54321123 5432112345 5432154321 54322345 54325432 54545454 5454545454 55555555
555555555 5555555555 555555555555 56565656 5656565656 56785678 56788765 567890098765 567890123 567890567890 56789123
5678956789 5678998765 57575757 5757575757 58585858 5858585858 59595959 5959595959 60606060 6060606060 61616161
6161616161 62626262 6262626262 63636363 6363636363 64646464 6464646464 654321123 654321123456 65432123 654321654321
6543223456 6543265432 65433456 65436543 65656565 6565656565 66666666 666666666 6666666666 666666666666 67676767
6767676767 6789009876 67890123 6789067890 67896789 67899876 68686868 6868686868 69696969 6969696969 70707070
7070707070 71717171 7171717171 72727272 7272727272 73737373 7373737373 741852963 74747474 7474747474 75757575
7575757575 76543123 76543211 7654321123 765432123 765432234567 765432765432 7654334567 7654376543 76544567 76547654
76767676 7676767676 77777777 777777777 7777777777 777777777777 78787878 7878787878 78900987 78907890 78945612
789456123 79797979 7979797979 80808080 8080808080 81818181 8181818181 82828282 8282828282 83838383 8383838383 84848484
8484848484 852456852 85858585 8585858585 86868686 8686868686 87654123 876543123 87654321 876543211 87654321123
8765432123 876543345678 876543876543 8765445678 8765487654 87655678 87658765 87878787 8787878787 88888888 888888888
8888888888 888888888888 89898989 8989898989 90909090 9090909090 91919191 9191919191 92929292 9292929292 93939393
9393939393 94949494 9494949494 95959595 9595959595 963852741 96969696 9696969696 97979797 9797979797 987456321
98765123 987654123 98765431 9876543123 98765432 987654321 9876543211 987654321123 98765432123 987654456789
987654987654 9876556789 9876598765 98766789 98769876 98989898 9898989898 99887766 998877665544 99999999 999999999
9999999999 999999999999 a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5 aa123456 aaaaaaaa aaaaaaaaa aaaaaaaaaa
aaaaaaaaaaaa abc12345 abc123abc abcabc123 abcd1234 access14 admin123 admin1234 area5151 asd12345 asdasd123 asdf1234
asdfasdf asdffdsa asdfg123 asdfgasdfg asdfggfdsa asdfgh123 asdfghasdfgh asdfghhgfdsa asdfghj1 asdfghj123 asdfghjk
asdfghjk1 asdfghjk123 asdfghjkl asdfghjkl1 asdfghjkl123 azerazer azerreza azert123 azertazert azerttreza azerty123
azertyazerty azertyu1 azertyu123 azertyui azertyui1 azertyui123 azertyuio azertyuio1 azertyuio123 azertyuiop
azertyuiop1 azertyytreza baseball1 batman123 bbbbbbbb bbbbbbbbb bbbbbbbbbb bbbbbbbbbbbb blink182 bvcxbvcx bvcxxcvb
bvcxz123 bvcxzbvcxz bvcxzzxcvb cccccccc ccccccccc cccccccccc cccccccccccc changeme1 changeme123 charlie1 cvbncvbn
cvbnm123 cvbnmcvbnm cvbnmmnbvc cvbnnbvc dddddddd ddddddddd dddddddddd dddddddddddd default1 demo1234 dfghdfgh dfghhgfd
dfghj123 dfghjdfghj dfghjjhgfd dfghjk123 dfghjkdfghjk dfghjkkjhgfd dfghjkl1 dfghjkl123 dragon123 eeeeeeee eeeeeeeee
eeeeeeeeee eeeeeeeeeeee ertyerty ertyu123 ertyuertyu ertyui123 ertyuiertyui ertyuiiuytre ertyuio1 ertyuio123 ertyuiop
ertyuiop1 ertyuiop123 ertyuuytre ertyytre ertzertz ertzu123 ertzuertzu ertzui123 ertzuiertzui ertzuiiuztre ertzuio1
ertzuio123 ertzuiop ertzuiop1 ertzuiop123 ertzuuztre ertzztre fdsaasdf fdsafdsa ffffffff fffffffff ffffffffff
ffffffffffff fghjfghj fghjjhgf fghjk123 fghjkfghjk fghjkkjhgf fghjkl123 fghjklfghjkl fghjkllkjhgf football1 gfdsa123
gfdsaasdfg gfdsagfdsa gfdsgfds gfdssdfg gggggggg ggggggggg gggggggggg gggggggggggg ghjkghjk ghjkkjhg ghjkl123
ghjklghjkl ghjkllkjhg guest123 hgfddfgh hgfdhgfd hgfds123 hgfdsa123 hgfdsaasdfgh hgfdsahgfdsa hgfdshgfds hgfdssdfgh
hhhhhhhh hhhhhhhhh hhhhhhhhhh hhhhhhhhhhhh hjklhjkl hjkllkjh iiiiiiii iiiiiiiii iiiiiiiiii iiiiiiiiiiii iloveyou!
iloveyou2 iuytiuyt iuytr123 iuytre123 iuytreertyui iuytreiuytre iuytrew1 iuytrew123 iuytrewq iuytrewq1 iuytrewq123
iuytriuytr iuytrrtyui iuyttyui jhgfd123 jhgfddfghj jhgfdjhgfd jhgfds123 jhgfdsa1 jhgfdsa123 jhgfdsjhgfds jhgfdssdfghj
jhgffghj jhgfjhgf jjjjjjjj jjjjjjjjj jjjjjjjjjj jjjjjjjjjjjj jordan23 kjhgf123 kjhgfd123 kjhgfddfghjk kjhgfdkjhgfd
kjhgfds1 kjhgfds123 kjhgfdsa kjhgfdsa1 kjhgfdsa123 kjhgffghjk kjhgfkjhgf kjhgghjk kjhgkjhg kkkkkkkk kkkkkkkkk
kkkkkkkkkk kkkkkkkkkkkk leetleet letmein1 lkjhg123 lkjhgf123 lkjhgfd1 lkjhgfd123 lkjhgfds lkjhgfds1 lkjhgfds123
lkjhgfdsa lkjhgfdsa1 lkjhgfdsa123 lkjhgffghjkl lkjhgflkjhgf lkjhgghjkl lkjhglkjhg lkjhhjkl lkjhlkjh llllllll lllllllll
llllllllll llllllllllll login123 master123 michael1 mmmmmmmm mmmmmmmmm mmmmmmmmmm mmmmmmmmmmmm mnbvc123 mnbvccvbnm
mnbvcmnbvc mnbvcx123 mnbvcxmnbvcx mnbvcxxcvbnm mnbvcxz1 mnbvcxz123 mnbvmnbv mnbvvbnm monkey123 nbvccvbn nbvcnbvc
nbvcx123 nbvcxnbvcx nbvcxxcvbn nbvcxz123 nbvcxznbvcxz nbvcxzzxcvbn ncc1701d ncc1701e nnnnnnnn nnnnnnnnn nnnnnnnnnn
nnnnnnnnnnnn number01 oiuyoiuy oiuyt123 oiuytoiuyt oiuytr123 oiuytre1 oiuytre123 oiuytrew oiuytrew1 oiuytrew123
oiuytrewq oiuytrewq1 oiuytrewq123 oiuytroiuytr oiuytrrtyuio oiuyttyuio oiuyyuio oooooooo ooooooooo oooooooooo
oooooooooooo p@ssw0rd p@ssword pa55w0rd pa55word passw0rd1 password12 password1234 poiupoiu poiuuiop poiuy123
poiuypoiuy poiuyt123 poiuytpoiuyt poiuytr1 poiuytr123 poiuytre poiuytre1 poiuytre123 poiuytrew poiuytrew1 poiuytrew123
poiuytrewq poiuytrewq1 poiuyttyuiop poiuyyuiop pppppppp ppppppppp pppppppppp pppppppppppp princess1 q1234567 q1w2e3r4
q1w2e3r4t5 q1w2e3r4t5y6 qaz123wsx qq123456 qqqqqqqq qqqqqqqqq qqqqqqqqqq qqqqqqqqqqqq qwe12345 qwe123qwe qweqwe123
qwer1234 qwer4321 qwerqwer qwerrewq qwert123 qwertqwert qwerttrewq qwerty12 qwerty123 qwertyqwerty qwertyu1 qwertyu123
qwertyui qwertyui1 qwertyui123 qwertyuio qwertyuio1 qwertyuio123 qwertyuiop qwertyuiop1 qwertyytrewq qwertz123
qwertzqwertz qwertzu1 qwertzu123 qwertzui qwertzui1 qwertzui123 qwertzuio qwertzuio1 qwertzuio123 qwertzuiop
qwertzuiop1 qwertzztrewq rewqqwer rewqrewq root1234 rrrrrrrr rrrrrrrrr rrrrrrrrrr rrrrrrrrrrrr rtyui123 rtyuiiuytr
rtyuio123 rtyuiooiuytr rtyuiop1 rtyuiop123 rtyuiortyuio rtyuirtyui rtyurtyu rtyuuytr rtzui123 rtzuiiuztr rtzuio123
rtzuiooiuztr rtzuiop1 rtzuiop123 rtzuiortzuio rtzuirtzui rtzurtzu rtzuuztr rush2112 sdfggfds sdfgh123 sdfghhgfds
sdfghj123 sdfghjjhgfds sdfghjk1 sdfghjk123 sdfghjkl sdfghjkl1 sdfghjkl123 sdfghjsdfghj sdfghsdfgh sdfgsdfg secret123
shadow123 ssssssss sssssssss ssssssssss ssssssssssss sunshine1 superman1 test1234 test12345 testtest1 thx1138x
trewq123 trewqqwert trewqtrewq trewtrew trewwert trustno1 tttttttt ttttttttt tttttttttt tttttttttttt tyuiiuyt tyuio123
tyuiooiuyt tyuiop123 tyuioppoiuyt tyuioptyuiop tyuiotyuio tyuityui tzuiiuzt tzuio123 tzuiooiuzt tzuiop123 tzuioppoiuzt
tzuioptzuiop tzuiotzuio tzuitzui uioppoiu uiopuiop user1234 uuuuuuuu uuuuuuuuu uuuuuuuuuu uuuuuuuuuuuu uytre123
uytreertyu uytreuytre uytrew123 uytrewq1 uytrewq123 uytrewuytrew uytrewwertyu uytrrtyu uytruytr vbnmmnbv vbnmvbnm
vcxzvcxz vcxzzxcv vvvvvvvv vvvvvvvvv vvvvvvvvvv vvvvvvvvvvvv welcome1 werttrew wertwert werty123 wertyu123 wertyui1
wertyui123 wertyuio wertyuio1 wertyuio123 wertyuiop wertyuiop1 wertyuiop123 wertyuuytrew wertyuwertyu wertywerty
wertyytrew wertz123 wertzu123 wertzui1 wertzui123 wertzuio wertzuio1 wertzuio123 wertzuiop wertzuiop1 wertzuiop123
wertzuuztrew wertzuwertzu wertzwertz wertzztrew wwwwwwww wwwwwwwww wwwwwwwwww wwwwwwwwwwww xcvbbvcx xcvbn123 xcvbnm123
xcvbnmmnbvcx xcvbnmxcvbnm xcvbnnbvcx xcvbnxcvbn xcvbxcvb xxxxxxxx xxxxxxxxx xxxxxxxxxx xxxxxxxxxxxx ytreerty ytrew123
ytrewq123 ytrewqqwerty ytrewqytrewq ytrewwerty ytrewytrew ytreytre yuiooiuy yuiop123 yuioppoiuy yuiopyuiop yuioyuio
yyyyyyyy yyyyyyyyy yyyyyyyyyy yyyyyyyyyyyy zaq12wsx zaq1xsw2 zaq1zaq1 zerttrez zerty123 zertyu123 zertyui1 zertyui123
zertyuio zertyuio1 zertyuio123 zertyuiop zertyuiop1 zertyuiop123 zertyuuytrez zertyuzertyu zertyytrez zertyzerty
zertzert zuiooiuz zuiop123 zuioppoiuz zuiopzuiop zuiozuio zxc12345 zxcvb123 zxcvbbvcxz zxcvbn123 zxcvbnm1 zxcvbnm123
zxcvbnnbvcxz zxcvbnzxcvbn zxcvbzxcvb zxcvvcxz zxcvzxcv zxczxc123 zzzzzzzz zzzzzzzzz zzzzzzzzzz zzzzzzzzzzzz
`;

const parseWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const words = parseWords(WORDS);
const exactPasswords = parseWords(EXACT_PASSWORDS);

/** Characters that are often used in place of a letter. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  "$": "s",
  "!": "i",
};

const unmask = (text: string): string =>
  text.replaceAll(/[013457@$!]/g, (sign) => LOOK_ALIKES[sign]!);

const AFFIX_MAX = 5;
const AFFIXES = new RegExp(`^[^a-z]{0,${AFFIX_MAX}}(.*?)[^a-z]{0,${AFFIX_MAX}}$`, "s");

/** Whether a password is easy to guess. @param password The password in lower case. */
export function isCommonPassword(password: string): boolean {
  if (exactPasswords.has(password) || words.has(password)) return true;
  const core = AFFIXES.exec(password)?.[1] ?? password;
  const isDoubled = core.slice(0, core.length / 2).repeat(2) === core;
  return [core, unmask(core), unmask(password), isDoubled ? core.slice(core.length / 2) : core]
    .some((text) => words.has(text));
}
