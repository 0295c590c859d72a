import type { Note } from '../../../journal/exchange.ts'
import { RULES, type Rule } from '../../../report/rules.ts'

/** The rule of the report for each kind of note. */
const RULE_OF_NOTE: Readonly<Partial<Record<Note['kind'], Rule>>> = {
  'unknown-parameter': 'unknown-parameter',
  'dropped-property': 'dropped-property',
  'invalid-input': 'invalid-input',
  'deprecated-operation': 'deprecated',
}

/** What a client should do instead of what the note says, and the clause. */
export function adviceOnNote({ kind }: Note): string {
  const rule = RULE_OF_NOTE[kind]
  if (rule === undefined)
    return 'A client sends only preferences that the service knows. RFC 7240 (Prefer)'
  return `A client ${RULES[rule].expectation}. ${RULES[rule].clause}`
}

/** The clauses of RFC 9110 for statuses, beside those of the report's rules. */
const CLAUSES: Readonly<Record<number, string>> = {
  400: RULES['invalid-input'].clause,
  401: RULES.unauthorized.clause,
  403: 'RFC 9110, section 15.5.4 (403 Forbidden)',
  404: 'RFC 9110, section 15.5.5 (404 Not Found)',
  405: 'RFC 9110, section 15.5.6 (405 Method Not Allowed)',
  406: 'RFC 9110, section 15.5.7 (406 Not Acceptable)',
  409: 'RFC 9110, section 15.5.10 (409 Conflict)',
  410: 'RFC 9110, section 15.5.11 (410 Gone)',
  412: 'RFC 9110, section 15.5.13 (412 Precondition Failed)',
  413: 'RFC 9110, section 15.5.14 (413 Content Too Large)',
  415: 'RFC 9110, section 15.5.16 (415 Unsupported Media Type)',
  422: 'RFC 9110, section 15.5.21 (422 Unprocessable Content)',
  429: `RFC 6585, section 4 (429 Too Many Requests); ${RULES['early-retry'].clause}`,
  500: 'RFC 9110, section 15.6.1 (500 Internal Server Error)',
  503: 'RFC 9110, section 15.6.4 (503 Service Unavailable)',
}

/** The clause that says what a status means; `undefined` for a status without a problem. */
export function clauseOfStatus(status: number): string | undefined {
  return CLAUSES[status]
}
