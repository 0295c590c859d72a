import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type { Express } from 'express'

/**
 * Express sets the prototype of every request and response, which takes most of a request's time before Node 24. Messages that
 * already have the prototype skip this step, which more than doubles the throughput on Node 20.
 */
export function messageClasses(
  app: Express,
): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class SandboxRequest extends IncomingMessage {}
  class SandboxResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(SandboxRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(SandboxResponse.prototype, app.response)

  return { IncomingMessage: SandboxRequest, ServerResponse: SandboxResponse }
}
