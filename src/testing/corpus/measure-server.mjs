// Measures one server with one document: its start, its memory, its answers and its refusals.
import { peakMemoryOf, start, stop } from '../bench/server.mjs'
import { faultIn } from './judge.mjs'
import { send } from './requests/send.mjs'

const PROBE = { path: '/', headers: {} }

/**
 * Returns `{ started, milliseconds, memory, answers, optional, refusals }`, or `{ started: false, reason }`. Each answer and
 * refusal is `{ name, kind, request, response, fault }`, where `fault` is `undefined` for a response as documented.
 */
export async function measureServer(server, { file, plan, port }) {
  let running
  try {
    running = await start(server.of(file), port, PROBE)
  } catch (error) {
    return { started: false, reason: oneLine(error.message) }
  }
  const exchange = async (request, operation) => {
    const path = server.basePathOf(operation) + request.path
    return { request: { ...request, path }, response: await send(port, { ...request, path }) }
  }
  try {
    return {
      started: true,
      milliseconds: running.started,
      answers: await answersOf(plan.samples, plan.validator, exchange),
      optional: await answersOf(plan.optional, plan.validator, exchange),
      refusals: await refusalsOf(plan, exchange),
      memory: peakMemoryOf(running.child),
    }
  } finally {
    await stop(running.child)
  }
}

/** One after another, so that the time of an answer is its own. */
async function answersOf(samples, validator, exchange) {
  const answers = []
  for (const { operation, request, parts } of samples) {
    const { response, ...sent } = await exchange(request, operation)
    const fault = answerFault(operation, response, parts, validator)
    answers.push({ name: operation.name, kind: 'answer', ...sent, response, fault })
  }
  return answers
}

/** A refusal of a valid request is a fault, except that an id that the document does not name need not exist. */
function answerFault(operation, response, { isNamed }, validator) {
  const fault = faultIn(operation, response, validator)
  if (fault || response.status < 400) return fault
  const mayBeUnknown = response.status === 404 && operation.path.includes('{') && !isNamed
  return mayBeUnknown
    ? undefined
    : { kind: 'documented error', detail: `${response.status} ${response.body.slice(0, 160)}` }
}

async function refusalsOf({ refusals, validator }, exchange) {
  const found = []
  for (const [kind, cases] of Object.entries(refusals)) {
    for (const one of cases) {
      const { operation = one.server, request } = one
      const { response, ...sent } = await exchange(request, operation)
      const fault = refusalFault(one, response, validator)
      found.push({ name: operation.name, kind, want: one.want, ...sent, response, fault })
    }
  }
  return found
}

function refusalFault({ operation, accepts, want, needsAllow }, response, validator) {
  if (response.failure) return { kind: 'no response', detail: response.failure }
  if (!accepts(response.status))
    return { kind: 'wrong status', detail: `${response.status} instead of ${want}` }
  if (needsAllow && response.status === 405 && !response.headers.allow)
    return { kind: 'header', detail: 'Allow is missing' }
  if (!operation) return undefined
  const fault = faultIn(operation, response, validator)
  // A status that the document does not have may have any body.
  return fault?.kind === 'undocumented status' ? undefined : fault
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').slice(-300)
}
