import { count, plural } from '../../validation/usage-error.ts'
import type { OperationUsage } from '../conduct.ts'
import { escapeXml } from '../escape-xml.ts'
import type { Report } from '../report.ts'

interface Tile {
  readonly value: string | number
  readonly label: string
  readonly isBad?: boolean
}

/** The most important numbers of a report. */
export function tiles({ requests, conduct, coverage, findings, fit }: Report): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const early = sum(conduct, 'early')
  const all: readonly Tile[] = [
    { value: requests, label: plural(requests, 'request') },
    { value: sum(conduct, 'refused'), label: 'refused with 429' },
    { value: early, label: 'sent too early', isBad: early > 0 },
    {
      value: findings.length,
      label:
        plural(findings.length, 'finding') + (errors > 0 ? ` (${count(errors, 'error')})` : ''),
    },
    { value: `${coverage.percent} %`, label: 'contract coverage' },
    ...(fit ? [{ value: fit.needs ?? 'none', label: 'smallest sufficient plan' }] : []),
  ]

  return `<div class="tiles">${all.map(tile).join('')}</div>`
}

function tile({ value, label, isBad = false }: Tile): string {
  const text = typeof value === 'number' ? value.toLocaleString('en') : value
  return `<div class="tile${isBad ? ' bad' : ''}"><b>${escapeXml(text)}</b><span>${label}</span></div>`
}

function sum(conduct: readonly OperationUsage[], name: 'refused' | 'early'): number {
  return conduct.reduce((total, usage) => total + usage[name], 0)
}
