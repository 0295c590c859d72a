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
  --served: #3b76c4; --failed: #8d93a1; --refused: #e08a00; --early: #d3262f; --bad: #d3262f; --good: #1f7a4a; --wait: #f6c34447; --ban: #d3262f80;
  --soft: #f2f3f5; --shade: #1d212940; --bad-soft: #fdecec; --warning: #8f5f00; --warning-soft: #fff5dd; --good-soft: #e7f5ed }
@media (prefers-color-scheme: dark) { :root { --paper: #14161a; --card: #1c1f25; --ink: #e7e9ee; --quiet: #9aa2b1; --line: #30343d;
  --served: #6ea5ee; --failed: #747b8a; --refused: #e9b43c; --early: #ff5d61; --bad: #ff5d61; --good: #5fcf94; --wait: #e9b43c2e; --ban: #ff5d6190;
  --soft: #252931; --shade: #000000b0; --bad-soft: #3a1f22; --warning: #eec25d; --warning-soft: #362c17; --good-soft: #17332a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; font-weight: 650 }
h2 { font-size: 18px; margin: 40px 0 12px; font-weight: 650 }
p { margin: 0 0 8px }
code { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
.quiet { color: var(--quiet) }
.verdict { display: flex; gap: 4px 14px; align-items: center; flex-wrap: wrap; margin: 18px 0 0; padding: 12px 16px; border-radius: 10px; background: var(--soft); font-weight: 550 }
.verdict.failed { background: var(--bad-soft) } .verdict.passed { background: var(--good-soft) }
.badge { display: inline-block; padding: 1px 10px; border-radius: 99px; font-weight: 600; font-size: 13px; white-space: nowrap; background: var(--soft); color: var(--quiet) }
.badge.bad { background: var(--bad-soft); color: var(--bad) }
.badge.good { background: var(--good-soft); color: var(--good) }
.badge.warning { background: var(--warning-soft); color: var(--warning) }
.verdict > .badge { font-size: 15px; padding: 2px 14px; color: var(--card) }
.verdict > .neutral { background: var(--quiet) } .verdict > .bad { background: var(--bad) } .verdict > .good { background: var(--good) }
.notice { margin: 14px 0 0; padding: 8px 14px; border-left: 3px solid var(--refused); background: var(--warning-soft) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 24px 0 0 }
.tile, .card, figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px }
.tile { padding: 12px 16px; min-width: 0; overflow-wrap: anywhere }
.tile b { display: block; font-size: 26px; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums }
.tile.bad b { color: var(--bad) }
.tile span { color: var(--quiet); font-size: 13px }
.card { padding: 14px 18px; margin: 0 0 10px }
.finding { display: flex; gap: 4px 10px; align-items: baseline; flex-wrap: wrap; margin: 0 0 4px }
h3 { margin: 0; font-size: 15px; font-weight: 650 }
.card p { margin: 0 } .card p, .long { min-width: 0; overflow-wrap: anywhere }
.clause { font-size: 13px }
details { margin: 6px 0 0 }
summary { cursor: pointer; color: var(--quiet); font-size: 13px }
.scroll { overflow-x: auto; background: ${SHADES}; background-color: var(--card) }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px }
th { text-align: left; color: var(--quiet); font-weight: 500; font-size: 13px; white-space: nowrap }
th, td { padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top }
th[scope=row] { color: inherit; font-weight: inherit; font-size: inherit }
tbody > tr:last-child > * { border-bottom: 0 }
tbody > tr > * { max-width: 34ch; overflow-wrap: break-word; white-space: normal }
.number { text-align: right }
figure { margin: 0 0 12px; padding: 12px 16px }
figcaption { font-weight: 600; margin: 0 0 4px; overflow-wrap: anywhere }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 10px; padding: 0; list-style: none; font-size: 13px; color: var(--quiet) }
.legend svg { margin: 0 6px 0 0; vertical-align: -1px }
.chart { display: block; width: 100%; min-width: 780px; height: auto; font-family: system-ui, sans-serif }
.progress { width: 100%; height: 7px; border-radius: 4px; margin: 0 0 6px }
.coverage { margin: 8px 0 0; padding: 0; list-style: none; font-size: 14px }
.coverage li { display: grid; grid-template-columns: minmax(0, 3fr) minmax(110px, 1fr) minmax(0, 6fr); gap: 8px 16px; padding: 8px 0; border-top: 1px solid var(--line) }
.items { display: flex; flex-wrap: wrap; gap: 4px; align-content: start }
.items .badge { padding: 0 7px; border-radius: 5px; font: 12px/1.7 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: normal; overflow-wrap: anywhere }
footer { margin: 40px 0 0; color: var(--quiet); font-size: 13px }
@media (max-width: 880px) { figure .scroll::before { ${SCROLL_HINT} } }
@media (max-width: 640px) { .scroll::before { ${SCROLL_HINT} } main { padding: 20px 14px 48px } h1 { font-size: 22px } .plain { min-width: 640px }
  .coverage li { grid-template-columns: minmax(0, 1fr) auto } .coverage .items { grid-column: 1 / -1 } }
`
