// A bar chart of the list of 20 on each server, compared with bare Express.
const [WIDTH, LABEL, ROW] = [760, 250, 30]

/** An SVG that is readable on light and dark pages. */
export function toChart({ servers, date, node }) {
  const bars = servers
    .filter(({ works }) => works.list)
    .map(({ name, works }) => ({ name, value: works.list.ratio.rate }))
    .sort((one, two) => two.value - one.value)
  const height = bars.length * ROW + 60
  const scale = (WIDTH - LABEL - 70) / Math.max(...bars.map(({ value }) => value))
  const title = `Requests a second for a list of 20, beside bare Express (Node ${node.slice(1)}, ${date})`

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    rect { fill: #8c959f }
    .own { fill: #0969da }
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6e7681 } .own { fill: #4493f8 } }
  </style>
  <text x="0" y="18" style="font-weight: 600">${title}</text>
${bars.map((bar, at) => row(bar, 36 + at * ROW, scale)).join('\n')}
</svg>
`
}

function row({ name, value }, top, scale) {
  const width = (value * scale).toFixed(1)
  const own = name.startsWith('pet-sandbox') ? ' class="own"' : ''

  return `  <text x="${LABEL - 8}" y="${top + 16}" text-anchor="end">${name}</text>
  <rect${own} x="${LABEL}" y="${top + 2}" width="${width}" height="${ROW - 10}" rx="2"/>
  <text x="${(LABEL + Number(width) + 6).toFixed(1)}" y="${top + 16}">${value.toFixed(2)} ×</text>`
}
