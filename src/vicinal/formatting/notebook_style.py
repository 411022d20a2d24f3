"""The style of results in a notebook, with a light and a dark theme."""

from vicinal.formatting.theme import declarations

_DAY, _NIGHT = declarations(dark=False), declarations(dark=True)

#: Rules of cells name the table, too: JupyterLab has its own rules of `td`, which are read later.
#: Colors follow the system theme, or that of JupyterLab if it is set. The text keeps the color
#: of the surrounding page, and highlights are transparent: they suit a page of either theme.
STYLE = f"""<style>
.vicinal{{{_DAY};
color:inherit;font-size:13px;line-height:1.45;max-width:100%}}
@media (prefers-color-scheme:dark){{.vicinal{{{_NIGHT}}}}}
body[data-jp-theme-light="true"] .vicinal{{{_DAY}}}
body[data-jp-theme-light="false"] .vicinal{{{_NIGHT}}}
.vicinal h4{{margin:.4em 0;font-size:1.15em}}
.vicinal p{{margin:.4em 0}}
.vicinal summary{{cursor:pointer;margin:.3em 0}}
.vicinal .wide{{overflow-x:auto}}
.vicinal table{{font-size:inherit;border-collapse:collapse;margin:.6em 0;width:auto}}
.vicinal caption{{caption-side:top;text-align:left;font-weight:600;padding:.2em 0;color:inherit}}
.vicinal table th,.vicinal table td{{padding:.15em .7em;text-align:left;border:0;\
border-bottom:1px solid var(--line);background:none;color:inherit;white-space:nowrap}}
.vicinal table thead th,.vicinal .note{{color:var(--soft);font-weight:400}}
.vicinal table tbody th{{font-weight:600}}
.vicinal table th.n,.vicinal table td.n{{text-align:right;font-variant-numeric:tabular-nums}}
.vicinal table td.words{{white-space:normal;min-width:16em}}
.vicinal table tr.own td,.vicinal table tr.own th{{background:#5a9bcf26}}
.vicinal table td.differs{{background:#ffac2855;font-weight:600}}
.vicinal .bar{{height:.75em;border-radius:2px;min-width:1px}}
.vicinal .up{{background:var(--accent)}}
.vicinal .down{{background:var(--down)}}
</style>"""
