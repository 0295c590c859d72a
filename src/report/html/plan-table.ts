import { type PlanComparison, type PlanResult, planSentence } from '../compare-plans.ts'
import { escapeXml } from '../escape-xml.ts'
import { formatDuration } from '../format.ts'

/** The result of the recorded traffic on each plan. */
export function planTable(comparison: PlanComparison): string {
  return `<div class="card"><p>${escapeXml(planSentence(comparison))}</p><div class="scroll"><table class="wide">
<tr><th>Plan</th><th class="count">Per minute</th><th class="count">Per day</th><th class="count">429</th><th class="count">Longest wait</th><th class="count">Bans</th><th></th></tr>
${comparison.plans.map(row).join('\n')}</table></div></div>`
}

function row({ plan, minute, day, enough, refused, longestWait, bans }: PlanResult): string {
  const badge = enough
    ? '<span class="badge fits">sufficient</span>'
    : '<span class="badge off">too small</span>'
  const wait = longestWait > 0 ? formatDuration(longestWait) : ''
  const counts = [minute, day, refused].map(
    (count) => `<td class="count">${count.toLocaleString('en')}</td>`,
  )

  return `<tr><td><span class="word">${escapeXml(plan)}</span></td>${counts.join('')}<td class="count">${wait}</td><td class="count">${bans}</td><td>${badge}</td></tr>`
}
