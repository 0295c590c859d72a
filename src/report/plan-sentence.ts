import { count } from '../validation/usage-error.ts'
import type { PlanComparison, PlanResult } from './compare-plans.ts'
import { formatDuration } from './format.ts'

/** Which plan the traffic needs: `This traffic needs pro; on free, 14 requests are refused and the longest wait is 41 s.` */
export function planSentence({ needs, plans, requests }: PlanComparison): string {
  if (requests === 0) return 'No requests with a valid API key were recorded.'
  if (plans.length === 0) return 'There are no plans to compare.'
  const smallest = plans[0]?.plan
  const verb = needs === smallest ? 'fits' : 'needs'
  const head =
    needs === undefined ? 'No plan is sufficient for this traffic' : `This traffic ${verb} ${needs}`
  const insufficient = plans.filter(({ enough }) => !enough).map(describeShortage)

  return `${[head, ...insufficient].join('; ')}.`
}

function describeShortage({ plan, refused, longestWait, bans }: PlanResult): string {
  const requests = `${count(refused, 'request')} ${refused === 1 ? 'is' : 'are'} refused`
  const ban = bans > 0 ? ', and a client that does not wait is banned' : ''
  return `on ${plan}, ${requests} and the longest wait is ${formatDuration(longestWait)}${ban}`
}
