import { escapeXml } from '../junit.ts'
import type { Report } from '../report.ts'
import { formatDuration, toOneLine } from '../rules.ts'

const MOST_ROWS = 100
const MOST_WAITS = 6

/** How each key used each operation, and how long it waited after a refusal. */
export function usageTable({ conduct, recordings }: Report): string {
  const rows = conduct.slice(0, MOST_ROWS).map((one) => {
    const { recording, key, operation = 'no operation', requests, refused, early } = one
    const waits = one.waits.slice(0, MOST_WAITS).map(({ waited, asked }) => {
      const isShort = waited < asked - 30
      return `<span class="badge ${isShort ? 'error' : 'fits'}">${formatDuration(waited)} of ${formatDuration(asked)}</span>`
    })
    const more = one.waits.length > MOST_WAITS ? ` and ${one.waits.length - MOST_WAITS} more` : ''
    const word = (text: string): string => `<span class="word">${escapeXml(toOneLine(text))}</span>`
    const name = recordings > 1 ? `${recording}: ${key}` : key
    return `<tr><td class="id name">${word(name)}</td><td>${word(operation)}</td><td class="count">${requests}</td><td class="count">${refused}</td><td class="count">${early}</td><td>${waits.join(' ')}${more}</td></tr>`
  })
  const left = conduct.length - MOST_ROWS

  return `<div class="card scroll"><table class="wide"><tr><th>Key</th><th>Operation</th><th class="count">Requests</th><th class="count">Refused</th><th class="count">Too early</th><th>Waited, of what was asked</th></tr>
${rows.join('\n')}</table>${left > 0 ? `<p class="quiet">And ${left} more, which the JSON has.</p>` : ''}</div>`
}
