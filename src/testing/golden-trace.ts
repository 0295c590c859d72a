import type { ReplayResult, Trace, TraceResponse, TraceStep } from './replay.ts'

/** Longer bodies, such as those of requests that are refused with 413, are cut. */
const MAX_BODY_LENGTH = 4096

/** Prints a trace and its responses, one paragraph per step, so that a diff shows what has changed. */
export function printTrace({ steps }: Trace, { responses }: ReplayResult): string {
  const remaining = responses.values()
  const paragraphs = steps.map((step, index) => `# ${index + 1}\n${printStep(step, remaining)}`)

  return `${paragraphs.join('\n\n')}\n`
}

function printStep(step: TraceStep, responses: Iterator<TraceResponse, undefined>): string {
  if ('set' in step) return `set the clock to ${step.set}`
  if ('advance' in step) return `advance the clock by ${step.advance}`
  if ('force' in step) return `force ${step.force} ${JSON.stringify(step.rule)}`
  const { method, path, headers, body } = step.send
  const response = responses.next().value
  if (!response) throw new RangeError('The trace has more requests than responses.')
  const request = [`${method} ${path}`, ...Object.entries(headers).map(printHeader)]

  return [...request, ...printBody(body), '', ...printResponse(response)].join('\n')
}

function printResponse({ status, headers, body }: TraceResponse): string[] {
  return [
    status === 0 ? 'connection closed' : String(status),
    ...headers.map(printHeader),
    ...printBody(body),
  ]
}

function printHeader([name, value]: readonly [name: string, value: string]): string {
  return `${name}: ${value}`
}

/** Prints a body as a JSON string, which shows every byte; prints nothing for an empty body. */
function printBody(body = ''): string[] {
  if (body === '') return []
  const cut =
    body.length > MAX_BODY_LENGTH ? ` and ${body.length - MAX_BODY_LENGTH} more bytes` : ''

  return [JSON.stringify(body.slice(0, MAX_BODY_LENGTH)) + cut]
}
