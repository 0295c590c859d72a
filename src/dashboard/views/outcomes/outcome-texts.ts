import type { Outcome } from '../../../forcing/outcomes.ts'

/** What each outcome is, in the order of the list. */
export const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  'server-error': '500, the service fails',
  unavailable: '503 with a Retry-After',
  'rate-limited': '429, the quota of the minute is spent',
  'day-exhausted': '429, the quota of the day is spent',
  banned: '429, the key is banned',
  unauthorized: '401, the key is missing or not valid',
  'bad-request': '400, the input is not valid',
  'not-found': '404, the resource does not exist',
  removed: '404, the operation is past its sunset',
  timeout: 'no response, and the connection stays open',
  reset: 'no response, and the connection is closed',
  malformed: 'the body is not valid JSON',
  truncated: 'the connection is closed after half of the body',
  slow: 'the response is delayed',
}
