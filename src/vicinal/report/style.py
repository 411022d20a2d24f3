"""How the page looks: light and dark by what the reader's system says, on a phone, in print."""

from vicinal.formatting.theme import THEME

_SHADES = "".join(
    f".h{at}{{background:color-mix(in srgb,var(--accent) {6 * at}%,transparent)}}"
    for at in range(11)
)
_SERIES = "".join(f".s{at}{{fill:var(--s{at});stroke:var(--s{at})}}" for at in range(6))

STYLE = f"""
{THEME}
*{{box-sizing:border-box}}
html{{-webkit-text-size-adjust:100%}}
body{{margin:0;background:var(--back);color:var(--text);
font:15px/1.5 var(--sans)}}
header,main,footer{{max-width:96rem;margin:0 auto;padding:0 clamp(1rem,3vw,2.6rem)}}
header{{padding-top:1.8rem}}
h1{{font-size:1.6rem;line-height:1.2;margin:0 0 .2rem;overflow-wrap:anywhere}}
h2{{display:inline;font-size:1.25rem;color:var(--text)}}
.part{{margin-top:1.6rem;border-top:1px solid var(--line)}}
.part>summary{{padding:.9rem 0 .4rem;font-size:1rem}}
h3{{font-size:1rem;margin:1.1rem 0 .3rem;overflow-wrap:anywhere}}
p{{margin:.4rem 0;max-width:52rem;overflow-wrap:anywhere}}
a{{color:var(--accent)}}
.lead{{font-size:1.05rem}}
.note,.sub,figcaption,footer,summary{{color:var(--soft);font-size:.9rem}}
nav ul{{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:.7rem 0}}
nav a{{text-decoration:none}}
nav a:hover{{text-decoration:underline}}
.facts{{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.7rem;
margin:.9rem 0 0;padding:0}}
.facts div{{background:var(--panel);border-radius:10px;padding:.6rem .9rem}}
.facts dt{{color:var(--soft);font-size:.85rem}}
.facts dd{{margin:0;font-size:1.35rem;font-weight:600;line-height:1.3;
font-variant-numeric:tabular-nums;overflow-wrap:anywhere}}
.facts .sub{{font-size:.8rem;font-weight:400;white-space:nowrap}}
.wide{{overflow:auto;max-height:34rem;margin:.6rem 0}}
.wide thead th{{position:sticky;top:0;z-index:1;background:var(--back)}}
.card .wide thead th,.example .wide thead th{{background:var(--panel)}}
th button{{all:unset;cursor:pointer}}
th button:hover,th[aria-sort]{{color:var(--text)}}
th button:focus-visible{{outline:2px solid var(--accent);outline-offset:2px}}
th[aria-sort=ascending] button::after{{content:" ↑"}}
th[aria-sort=descending] button::after{{content:" ↓"}}
.blocks{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(32rem,100%),1fr));
gap:.2rem 2.4rem;align-items:start}}
.blocks>*{{min-width:0}}
.wide:focus-visible,a:focus-visible,button:focus-visible,input:focus-visible,
select:focus-visible,summary:focus-visible{{outline:2px solid var(--accent);outline-offset:2px}}
table{{border-collapse:collapse;font-size:.88rem}}
caption{{text-align:left;font-weight:600;padding:.2rem 0 .35rem}}
th,td{{padding:.3rem .75rem .3rem 0;text-align:left;border-bottom:1px solid var(--line);
vertical-align:middle;unicode-bidi:isolate}}
th+td,td+td,th+th{{padding-left:.4rem}}
thead th{{color:var(--soft);font-weight:500;vertical-align:bottom}}
.hint{{display:block;font-size:.8rem;font-weight:400;white-space:normal}}
tbody th{{font-weight:600}}
.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.shaded td,.shaded thead th+th{{padding:.35rem .6rem;text-align:center}}
{_SHADES}
.self th,.self td{{background:var(--self)}}
.differs{{background:var(--mark)}}
.badge{{font-size:.72rem;font-weight:600;color:var(--accent);border:1px solid;border-radius:9px;
padding:0 .45em;white-space:nowrap}}
svg text{{fill:var(--soft);font-size:12px;stroke:none}}
.chart{{display:block;width:100%;max-width:24rem;height:auto}}
.spark{{display:block;width:150px;height:50px}}
.spark rect{{fill:var(--accent)}}
.bar{{display:inline-block;width:4.2rem;height:.6rem;vertical-align:middle}}
.example .bar{{width:4rem}}
td:has(.bar){{white-space:nowrap}}
.example table{{font-size:.84rem}}
.up{{fill:var(--accent)}}.down{{fill:var(--down)}}
.axis{{stroke:var(--soft);stroke-width:1;fill:none;vector-effect:non-scaling-stroke}}
.grid{{stroke:var(--line);stroke-width:1;fill:none}}
.guide{{stroke:var(--soft);stroke-width:1.2;stroke-dasharray:5 4;fill:none}}
.own{{stroke:var(--text);stroke-width:1.2;stroke-opacity:.6;fill:none}}
.dot{{fill:var(--accent);fill-opacity:.45}}
.mark{{fill:var(--accent);fill-opacity:.85}}
{_SERIES}
.line{{fill:none;stroke-width:2.2;stroke-linejoin:round}}
.legend{{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem}}
.swatch{{width:.7rem;height:.7rem;margin-right:.4rem}}
figure{{margin:.8rem 0}}
.charts{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(17rem,100%),1fr));
gap:.6rem 1.4rem}}
.charts figure{{margin:0}}
.pair .charts{{grid-template-columns:repeat(auto-fit,minmax(min(14rem,100%),1fr))}}
.cards{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(23rem,100%),1fr));gap:.8rem}}
.card,.example,.whatif{{background:var(--panel);border-radius:10px;padding:.2rem 1.1rem .8rem;
margin:0;min-width:0}}
.example,.whatif{{margin:.8rem 0}}
.card th,.card td{{white-space:nowrap}}
.card h3,.example h3,.whatif h3{{margin-top:.7rem}}
.pair{{display:grid;grid-template-columns:minmax(0,1fr);gap:.2rem 2rem;align-items:start}}
.pair>*{{min-width:0}}
.controls{{display:flex;flex-wrap:wrap;gap:.6rem 2rem;align-items:flex-start}}
@media (min-width:64rem){{
.example .pair{{grid-template-columns:minmax(25rem,2fr) 5fr}}
.whatif .pair{{grid-template-columns:minmax(18rem,1fr) 3fr}}
.more.pair{{grid-template-columns:minmax(32rem,1fr) 1fr}}
.whatif form{{flex-basis:100%}}
}}
form{{flex:1 1 18rem;max-width:30rem}}
form[hidden]{{display:none}}
.control{{display:grid;grid-template-columns:1fr 1.3fr 5rem;gap:.2rem .7rem;align-items:center;
margin:.45rem 0;font-size:.92rem}}
.control label{{overflow-wrap:anywhere}}
.control select{{grid-column:2/4}}
.control output{{font-variant-numeric:tabular-nums;overflow-wrap:anywhere}}
input[type=range]{{width:100%;accent-color:var(--accent)}}
select,button{{font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);
border-radius:6px;padding:.3rem .6rem;max-width:100%}}
button{{cursor:pointer;font-size:.88rem;margin-top:.4rem}}
.answer{{margin:.4rem 0}}
p.answer{{font-size:1.25rem}}
summary{{cursor:pointer}}
footer{{margin-top:2rem;padding-top:1rem;padding-bottom:2.5rem;border-top:1px solid var(--line)}}
.words{{display:block;min-width:15rem}}
@media (max-width:40rem){{
.wide th,.wide td{{white-space:nowrap}}
.wide .words{{white-space:normal}}
body{{font-size:15px}}
header{{padding-top:1.4rem}}
h1{{font-size:1.5rem}}
h2{{font-size:1.15rem}}
.part{{margin-top:0}}
.part>summary{{padding:.7rem 0}}
.wide{{max-height:26rem}}
.control{{grid-template-columns:1fr 5rem}}
.control label{{grid-column:1/3}}
.control select{{grid-column:1/3}}
}}
@media print{{
:root{{color-scheme:light}}
body{{font-size:10.5pt}}
nav,form,.legend+form{{display:none}}
h2{{break-after:avoid}}
h3,caption{{break-after:avoid}}
.card,.example,.whatif,figure,tr{{break-inside:avoid}}
.example,.whatif{{break-inside:auto}}
.card,.example,.whatif,.facts div{{background:none;border:1px solid var(--line)}}
.wide{{overflow:visible;max-height:none}}
.wide thead th{{position:static}}
table{{font-size:8.5pt}}
.example table{{font-size:7.5pt}}
.wide th,.wide td{{overflow-wrap:break-word;padding-right:.35rem}}
.bar{{width:3rem}}
.example .bar{{width:2rem}}
.example thead th{{overflow-wrap:anywhere}}
.charts{{grid-template-columns:1fr 1fr}}
.spark{{width:110px}}
.words{{min-width:0}}
*{{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
}}
"""
