import type { IncomingMessage } from 'node:http'
import { json } from '../http/message.ts'
import { CONTROL_PATH } from '../http/paths.ts'
import { problems } from '../http/problem.ts'
import { splitTarget } from './client-url.ts'
import type { RequestHandler } from './node-request.ts'
import { send } from './write-response.ts'

/** Whether the server can answer requests to the API now. */
export type ReadyTest = () => Promise<boolean>

const LIVE_PATH = `${CONTROL_PATH}/health/live`
const READY_PATH = `${CONTROL_PATH}/health/ready`

/**
 * Answers the probes of load balancers and orchestrators, from every machine and without a token: whether the process serves, and
 * whether it can answer requests to the API. The responses have no other detail.
 */
export function createHealthHandler(isReady: ReadyTest): RequestHandler {
  return {
    serve: (request, response, otherwise) => {
      const path = probePath(request)
      if (path === undefined) return void otherwise(request, response)
      const { method } = request
      if (method !== 'GET' && method !== 'HEAD') {
        const problem = problems.methodNotAllowed('Probes can only be read.', 'GET, HEAD')
        return send(problem.toResponse(), response)
      }
      void statusOf(path, isReady).then((status) => {
        const headers = { 'Cache-Control': 'no-store' }
        send(json(status === 'unavailable' ? 503 : 200, { status }, headers), response)
      })
    },
  }
}

/** The path of a probe; `undefined` for any other request. Most requests are none, so that the first test is a cheap one. */
function probePath({ url = '' }: IncomingMessage): string | undefined {
  if (!url.includes(CONTROL_PATH)) return undefined
  const [path] = splitTarget(url)

  return path === LIVE_PATH || path === READY_PATH ? path : undefined
}

async function statusOf(
  path: string,
  isReady: ReadyTest,
): Promise<'live' | 'ready' | 'unavailable'> {
  if (path === LIVE_PATH) return 'live'
  return (await isReady().catch(() => false)) ? 'ready' : 'unavailable'
}
