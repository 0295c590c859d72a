/** A hint above a table or chart that is wider than the screen. It does not scroll along. */
const SCROLL_HINT =
  "content: 'Scroll sideways to see all \\2192'; display: block; position: sticky; left: 0; width: max-content; color: var(--quiet); font-size: 13px"

/** Shadows at the edges of a table or chart that can be scrolled. At the end, a cover that scrolls along hides the shadow. */
const SHADES = [
  'linear-gradient(to right, var(--card) 30%, transparent) left / 40px 100% no-repeat local',
  'linear-gradient(to left, var(--card) 30%, transparent) right / 40px 100% no-repeat local',
  'linear-gradient(to right, var(--shade), transparent) left / 12px 100% no-repeat scroll',
  'linear-gradient(to left, var(--shade), transparent) right / 12px 100% no-repeat scroll',
].join(', ')

/** The complete style of the page. */
export const STYLE: string = `
:root { color-scheme: light dark; --paper: #fbfbfa; --card: #fff; --ink: #1d2129; --quiet: #5f6673; --line: #e3e4e8;
  --served: #3b76c4; --failed: #8d93a1; --refused: #e08a00; --early: #d3262f; --good: #1f7a4a; --wait: #f6c34447; --ban: #d3262f80;
  --soft: #f2f3f5; --shade: #1d212940; --bad-soft: #fdecec; --warn: #8f5f00; --warn-soft: #fff5dd; --good-soft: #e7f5ed }
@media (prefers-color-scheme: dark) { :root { --paper: #14161a; --card: #1c1f25; --ink: #e7e9ee; --quiet: #9aa2b1; --line: #30343d;
  --served: #6ea5ee; --failed: #747b8a; --refused: #e9b43c; --early: #ff5d61; --good: #5fcf94; --wait: #e9b43c2e; --ban: #ff5d6190;
  --soft: #252931; --shade: #000000b0; --bad-soft: #3a1f22; --warn: #eec25d; --warn-soft: #362c17; --good-soft: #17332a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; font-weight: 650 }
h2 { font-size: 18px; margin: 40px 0 12px; font-weight: 650 }
p { margin: 0 0 8px }
code, .id { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
.quiet { color: var(--quiet) }
.verdict { display: flex; gap: 4px 14px; align-items: center; flex-wrap: wrap; margin: 18px 0 0; padding: 12px 16px; border-radius: 10px; background: var(--soft); font-weight: 550 }
.verdict.failed { background: var(--bad-soft) } .verdict.passed { background: var(--good-soft) }
.verdict .badge { font-size: 15px; padding: 2px 14px; background: var(--quiet); color: var(--card) } .verdict .failed-badge { background: var(--early) } .verdict .passed-badge { background: var(--good) }
.badge { display: inline-block; padding: 1px 10px; border-radius: 99px; font-weight: 600; font-size: 13px; white-space: nowrap }
.failed-badge, .error { background: var(--bad-soft); color: var(--early) }
.passed-badge, .fits { background: var(--good-soft); color: var(--good) }
.warning { background: var(--warn-soft); color: var(--warn) }
.note-badge, .not-judged-badge, .off { background: var(--soft); color: var(--quiet) }
.notice { margin: 14px 0 0; padding: 8px 14px; border-left: 3px solid var(--refused); background: var(--warn-soft) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 24px 0 0 }
.tile, .card, figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px }
.tile { padding: 12px 16px; min-width: 0; overflow-wrap: anywhere }
.tile b { display: block; font-size: 26px; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums }
.tile.bad b { color: var(--early) }
.tile span { color: var(--quiet); font-size: 13px }
.card { padding: 14px 18px; margin: 0 0 10px }
.card header { display: flex; gap: 4px 10px; align-items: baseline; flex-wrap: wrap; margin: 0 0 4px }
.card h3 { margin: 0; font-size: 15px; font-weight: 650 }
.card p { margin: 0; overflow-wrap: anywhere } .card header > :not(.badge) { min-width: 0; overflow-wrap: anywhere }
.clause { color: var(--quiet); font-size: 13px }
details { margin: 6px 0 0 }
summary { cursor: pointer; color: var(--quiet); font-size: 13px }
.scroll { overflow-x: auto; background: ${SHADES}; background-color: var(--card) }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px }
th { text-align: left; color: var(--quiet); font-weight: 500; font-size: 13px; white-space: nowrap }
th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top }
tr:last-child td { border-bottom: 0 }
.count { text-align: right } .count, .name { white-space: nowrap }
.word { display: inline-block; width: max-content; max-width: min(34ch, 40vw); white-space: normal; overflow-wrap: anywhere }
figure { margin: 0 0 12px; padding: 12px 16px }
figcaption { font-weight: 600; margin: 0 0 4px; overflow-wrap: anywhere }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 10px; font-size: 13px; color: var(--quiet) }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin: 0 6px 0 0; vertical-align: -1px }
.legend .reset-line { width: 0; height: 14px; border-left: 2px dotted var(--quiet); border-radius: 0; margin: 0 9px 0 4px; vertical-align: -3px }
.legend .line { height: 0; border-top: 2px solid var(--served); vertical-align: 4px }
svg { display: block; width: 100%; min-width: 780px; height: auto; font: 11px system-ui, sans-serif }
svg text { fill: var(--quiet) }
.lane { font-size: 13px; white-space: pre } .strong { font-weight: 600; fill: var(--ink) }
.tick, .gap-label, .caption { text-anchor: middle } .side { text-anchor: end } .limit { text-anchor: end }
.grid { stroke: var(--line); stroke-width: 1 } .axis { stroke: var(--failed); stroke-width: 1; opacity: .6 }
.gap { stroke: var(--quiet); stroke-dasharray: 2 4; stroke-width: 2 } .gap-label { font-style: italic }
.spent { stroke: var(--early); stroke-dasharray: 5 4; opacity: .8 } .reset { stroke: var(--quiet); stroke-dasharray: 1 3 }
.quota { fill: var(--served); fill-opacity: .16; stroke: var(--served); stroke-width: 1.5; stroke-linejoin: round }
rect.served, i.served { fill: var(--served); background: var(--served) } rect.failed, i.failed { fill: var(--failed); background: var(--failed) }
rect.refused, i.refused { fill: var(--refused); background: var(--refused) } rect.early, i.early { fill: var(--early); background: var(--early) }
.zone-wait, i.zone-wait { fill: var(--wait); background: var(--wait) } .zone-ban { fill: url(#banned) } #banned path { stroke: var(--ban); stroke-width: 2 }
i.zone-ban { background: repeating-linear-gradient(135deg, var(--ban) 0 2px, transparent 2px 4px) }
.meter { display: block; width: 96px; height: 7px; border-radius: 4px; background: var(--soft); overflow: hidden; margin: 8px 0 0 }
.meter i { display: block; height: 100%; background: var(--good) }
.parts { display: flex; flex-wrap: wrap; gap: 4px; margin: 2px 0 }
.part { padding: 0 7px; border-radius: 5px; font: 12px/1.7 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
.met { background: var(--good-soft); color: var(--good) }
.never { color: var(--quiet); outline: 1px dashed var(--line); outline-offset: -1px }
footer { margin: 40px 0 0; color: var(--quiet); font-size: 13px }
@media (max-width: 880px) { figure .scroll::before { ${SCROLL_HINT} }
  .stacked tr { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--line) } .stacked :is(th, td) { border: 0; padding-bottom: 2px } .stacked td:last-child { flex-basis: 100% } }
@media (max-width: 640px) { .scroll::before { ${SCROLL_HINT} } main { padding: 20px 14px 48px } h1 { font-size: 22px } .wide { min-width: 640px } }
`
