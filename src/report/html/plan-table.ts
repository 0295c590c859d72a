import type { PlanComparison, PlanResult } from '../compare-plans.ts'
import { escapeXml } from '../junit.ts'
import { formatDuration } from '../rules.ts'
import { planSentence } from '../text.ts'

/** How the traffic would fare on each plan. */
export function planTable(fit: PlanComparison): string {
  return `<div class="card"><p>${escapeXml(planSentence(fit))}</p><div class="scroll"><table class="wide">
<tr><th>Plan</th><th class="count">A minute</th><th class="count">A day</th><th class="count">Refused</th><th class="count">Longest wait</th><th class="count">Bans</th><th></th></tr>
${fit.plans.map(row).join('\n')}</table></div></div>`
}

function row({ plan, minute, day, enough, refused, longestWait, bans }: PlanResult): string {
  const badge = enough
    ? '<span class="badge fits">enough</span>'
    : '<span class="badge off">too small</span>'
  const wait = longestWait > 0 ? formatDuration(longestWait) : ''

  return `<tr><td><span class="word">${escapeXml(plan)}</span></td>${[minute, day, refused].map((count) => `<td class="count">${count.toLocaleString('en')}</td>`).join('')}<td class="count">${wait}</td><td class="count">${bans}</td><td>${badge}</td></tr>`
}
