import type { Coverage, CoverageItem, OperationCoverage } from '../coverage.ts'
import { escapeXml } from '../junit.ts'

/** What of each operation was met, and what never. */
export function coverageTable({ percent, met, total, operations }: Coverage): string {
  return `<div class="card"><p>${percent} %: ${met} of ${total} that there is to meet, operations, statuses, listed values and ways to fail. What is grey was never met.</p>
<div><table class="stacked"><tr><th>Operation</th><th class="count">Requests</th><th>Met</th><th>Statuses, values, ways to fail</th></tr>
${operations.map(row).join('\n')}</table></div></div>`
}

function row(one: OperationCoverage): string {
  const { operation, request, count, statuses, values, errors } = one
  const parts = [...statuses, ...values, ...errors]
  const met = parts.filter((part) => part.count > 0).length
  const percent = parts.length === 0 ? 0 : Math.round((met / parts.length) * 100)
  const lists = [statuses, values, errors].filter(({ length }) => length > 0).map(chips)

  return `<tr><td class="name"><b class="word">${escapeXml(operation)}</b><br><code class="word">${escapeXml(request)}</code></td><td class="count">${count === 0 ? 'never called' : count}</td><td>${met}/${parts.length}<span class="meter"><i style="width:${percent}%"></i></span></td><td>${lists.join('')}</td></tr>`
}

function chips(parts: readonly CoverageItem[]): string {
  const all = parts.map(({ name, count }) =>
    count > 0
      ? `<span class="part met">${escapeXml(name)} ×${count}</span>`
      : `<span class="part never">${escapeXml(name)}</span>`,
  )
  return `<div class="parts">${all.join('')}</div>`
}
