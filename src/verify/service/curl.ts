import type { Credentials, Question } from './answer.ts'

/** The environment variable that stands for the key wherever a request is shown. */
export const KEY_VARIABLE = 'PET_SANDBOX_KEY'

/** The `Authorization` header of a request; none for a request without a key. */
function authorization(credentials: Credentials, key: string): string | undefined {
  if (credentials === 'none') return undefined
  if (credentials === 'scheme') return `Basic ${key}`
  return `Bearer ${key}${credentials === 'longer' ? 'x' : ''}`
}

/** The headers of a request that carry meaning. */
export function headersOf(question: Question, key: string): Record<string, string> {
  const value = authorization(question.credentials, key)
  const type = question.body === undefined ? undefined : (question.type ?? 'application/json')

  return {
    ...(value !== undefined && { Authorization: value }),
    ...(type !== undefined && { 'Content-Type': type }),
  }
}

/** A longer body would not fit a command line. */
const LONGEST = 2000

/** A line that sends the request again, once the key is in `$PET_SANDBOX_KEY`. */
export function curlOf(question: Question, base: string): string {
  const { method, target, body } = question
  // In double quotes a shell puts the variable in.
  const headers = Object.entries(headersOf(question, `\${${KEY_VARIABLE}}`)).map(([name, value]) =>
    value.includes('$')
      ? `-H "${name}: ${value.replace(/\$\{(\w+)\}$/, '$$$1')}"`
      : `-H ${quote(`${name}: ${value}`)}`,
  )
  const how: Record<string, string[]> = { GET: [], HEAD: ['-I'] }
  const data =
    body === undefined
      ? []
      : ['--data-raw', quote(body.length > LONGEST ? `${body.slice(0, LONGEST)}…` : body)]

  return [
    'curl',
    '-i',
    ...(how[method] ?? ['-X', method]),
    ...headers,
    ...data,
    quote(base + target),
  ].join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
