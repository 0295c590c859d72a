import type { Fit, PlanFit } from '../fit-plans.ts'
import { escapeXml } from '../junit.ts'
import { span } from '../rules.ts'
import { fitSentence } from '../text.ts'

/** How the traffic would fare on each plan. */
export function fitTable(fit: Fit): string {
  return `<div class="card"><p>${escapeXml(fitSentence(fit))}</p><div class="scroll"><table class="wide">
<tr><th>Plan</th><th class="count">A minute</th><th class="count">A day</th><th class="count">Refused</th><th class="count">Longest wait</th><th class="count">Bans</th><th></th></tr>
${fit.plans.map(row).join('\n')}</table></div></div>`
}

function row({ plan, minute, day, enough, refused, longestWait, bans }: PlanFit): string {
  const badge = enough
    ? '<span class="badge fits">enough</span>'
    : '<span class="badge off">too small</span>'
  const wait = longestWait > 0 ? span(longestWait) : ''

  return `<tr><td><span class="word">${escapeXml(plan)}</span></td>${[minute, day, refused].map((count) => `<td class="count">${count.toLocaleString('en')}</td>`).join('')}<td class="count">${wait}</td><td class="count">${bans}</td><td>${badge}</td></tr>`
}
