// Measures all servers with one document, with the same requests.
import { measureServer } from './measure-server.mjs'
import { readDocument } from './openapi/read-document.mjs'
import { planRequests } from './requests/plan-requests.mjs'

/** A longer text of a request or an answer is cut. */
const MAX_TEXT = 2000

/**
 * `{ summary, faults }`: the figures of the document, and each exchange that is not as documented. `{ unreadable }` for a file that
 * is no document.
 */
export async function measureDocument({ id, file, bytes }, { servers, limit, port, report }) {
  let plan
  try {
    plan = planRequests(await readDocument(file), limit)
  } catch (error) {
    return { unreadable: error.message }
  }
  const measured = {}
  const faults = []
  for (const [at, server] of servers.entries()) {
    const found = await measureServer(server, { file, plan, port: port + at })
    report(server.name, found)
    measured[server.name] = found.started ? slim(found) : found
    faults.push(...faultsOf(found, { document: id, server: server.name }))
  }
  const refusals = Object.entries(plan.refusals).map(([kind, cases]) => [kind, cases.length])
  return {
    faults,
    summary: {
      id,
      bytes,
      operations: plan.operations,
      requests: plan.samples.length,
      optional: plan.optional.length,
      refusals: Object.fromEntries(refusals),
      servers: measured,
    },
  }
}

/** Without the texts of requests and answers. */
function slim(measured) {
  const line = ({ name, kind, response: { status, milliseconds }, fault }) => ({
    name,
    kind,
    status,
    milliseconds,
    fault: fault?.kind,
  })
  return {
    ...measured,
    answers: measured.answers.map(line),
    optional: measured.optional.map(line),
    refusals: measured.refusals.map(line),
  }
}

function faultsOf({ answers = [], optional = [], refusals = [] }, labels) {
  const faultsIn = (of, list) =>
    list
      .filter(({ fault }) => fault)
      .map(({ response, request, ...exchange }) => ({
        ...labels,
        of,
        ...exchange,
        request: { ...request, body: request.body?.slice(0, MAX_TEXT) },
        response: { ...response, body: response.body?.slice(0, MAX_TEXT) },
      }))
  return [
    ...faultsIn('answers', answers),
    ...faultsIn('answers with optional parameters', optional),
    ...faultsIn('refusals', refusals),
  ]
}
