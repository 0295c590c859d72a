import { type Coverage, type CoverageItem, itemsOf, type OperationCoverage } from '../coverage.ts'
import { escapeXml } from '../escape-xml.ts'

/** Which items of each operation the requests covered. */
export function coverageTable({ percent, met, total, operations }: Coverage): string {
  return `<div class="card"><p>The requests covered ${met} of ${total} items (${percent} %): operations, response statuses, documented values and error cases. A dashed outline marks an item that no request covered.</p>
<div><table class="stacked"><tr><th>Operation</th><th class="count">Requests</th><th>Covered</th><th>Statuses, values and error cases</th></tr>
${operations.map(row).join('\n')}</table></div></div>`
}

function row(one: OperationCoverage): string {
  const { operation, request, count, statuses, values, errors } = one
  const items = itemsOf(one)
  const covered = items.filter((item) => item.count > 0).length
  const percent = items.length === 0 ? 0 : Math.round((covered / items.length) * 100)
  const lists = [statuses, values, errors].filter(({ length }) => length > 0).map(badges)

  return `<tr><td class="name"><b class="word">${escapeXml(operation)}</b><br><code class="word">${escapeXml(request)}</code></td><td class="count">${count === 0 ? 'never called' : count}</td><td>${covered}/${items.length}<span class="meter"><i style="width:${percent}%"></i></span></td><td>${lists.join('')}</td></tr>`
}

function badges(items: readonly CoverageItem[]): string {
  const all = items.map(({ name, count }) =>
    count > 0
      ? `<span class="part met">${escapeXml(name)} ×${count}</span>`
      : `<span class="part never">${escapeXml(name)}</span>`,
  )
  return `<div class="parts">${all.join('')}</div>`
}
