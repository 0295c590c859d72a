import type { ReplayResult, Trace, TraceResponse, TraceStep } from './replay.ts'

/** Longer bodies, as those of requests that are refused for their size, are cut: their start says which one it is. */
const LONGEST_BODY = 4096

/** A trace and its responses as text, one paragraph for each step, so that a difference can be read line by line. */
export function printTrace({ steps }: Trace, { responses }: ReplayResult): string {
  const rest = responses.values()
  const paragraphs = steps.map((step, index) => `# ${index + 1}\n${printStep(step, rest)}`)

  return `${paragraphs.join('\n\n')}\n`
}

function printStep(step: TraceStep, responses: Iterator<TraceResponse, undefined>): string {
  if ('set' in step) return `set the clock to ${step.set}`
  if ('advance' in step) return `advance the clock by ${step.advance}`
  if ('force' in step) return `force ${step.force} ${JSON.stringify(step.rule)}`
  const { method, path, headers, body } = step.send
  const answer = responses.next().value
  if (!answer) throw new RangeError('The trace has more requests than responses.')
  const request = [`${method} ${path}`, ...Object.entries(headers).map(printHeader)]

  return [...request, ...printBody(body), '', ...printAnswer(answer)].join('\n')
}

function printAnswer({ status, headers, body }: TraceResponse): string[] {
  return [
    status === 0 ? 'connection closed' : String(status),
    ...headers.map(printHeader),
    ...printBody(body),
  ]
}

function printHeader([name, value]: readonly [name: string, value: string]): string {
  return `${name}: ${value}`
}

/** A body as a JSON string, which shows every byte; nothing for an empty one. */
function printBody(body = ''): string[] {
  if (body === '') return []
  const cut = body.length > LONGEST_BODY ? ` and ${body.length - LONGEST_BODY} more bytes` : ''

  return [JSON.stringify(body.slice(0, LONGEST_BODY)) + cut]
}
