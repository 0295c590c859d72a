import type { IncomingMessage, RequestListener } from 'node:http'
import express from 'express'
import type { DocumentFormat } from '../document/servers.ts'
import { chooseWorld } from '../http/paths.ts'
import { problems } from '../http/problem.ts'
import { withBrowserPolicy } from '../http/response-headers.ts'
import { routerOf, type ServedSandbox } from '../sandbox/router.ts'
import { baseOf, splitTarget } from './client-url.ts'
import type { ExpressRequest } from './express.ts'
import type { RequestHandler } from './node-request.ts'
import { send } from './write-response.ts'

/** Reads the OpenAPI document of a sandbox, in one piece. It is read when it is requested, because it may be large. */
export type ReadDocument = () => Promise<Readonly<Record<string, unknown>>>

interface DocumentOptions {
  readonly readDocument: ReadDocument
  /** Whether `/__sandbox` has the document, too. */
  readonly isControlled: boolean
  readonly publicUrl?: string | undefined
  readonly trustProxy?: readonly string[] | undefined
}

/** The paths of the document: at the root of the server, and below `/__sandbox` or a world's control interface. */
const ROOT_PATH = /^\/openapi\.(json|yaml)$/
const CONTROL_PATH = /^\/__sandbox((?:\/worlds\/[^/]+)?)\/document\.(json|yaml)$/

const TYPES = { json: 'application/json', yaml: 'application/yaml' } as const

/** The document that a path names. */
interface WantedDocument {
  readonly format: DocumentFormat
  /** The start of the path that chooses a world; empty for the default world. */
  readonly prefix: string
}

/** Serves the document of a sandbox, so that code generators can be pointed at it. Pages of every origin may read it. */
export function createDocumentHandler(
  sandbox: ServedSandbox,
  options: DocumentOptions,
): RequestHandler {
  const respond = createResponder(sandbox, options)

  return {
    serve: (request, response, otherwise) => {
      if (wantedBy(request, sandbox, options)) respond(request, response)
      else otherwise(request, response)
    },
  }
}

/** An app of its own, because Express knows which proxies it trusts to tell the address that clients use. */
function createResponder(sandbox: ServedSandbox, options: DocumentOptions): RequestListener {
  const { readDocument, publicUrl, trustProxy = [] } = options
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', [...trustProxy])
  app.use(async (request: ExpressRequest & IncomingMessage, response) => {
    const wanted = wantedBy(request, sandbox, options)
    if (!wanted) return
    const { servedDocument } = await import('../document/servers.ts')
    const root = (publicUrl ?? baseOf(request, '')) + wanted.prefix
    const { basePath } = sandbox.contract
    const body = await servedDocument(await readDocument(), { root, basePath }, wanted.format)
    const headers = {
      'Content-Type': TYPES[wanted.format],
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'no-cache',
      'X-Content-Type-Options': 'nosniff',
    }
    send(withBrowserPolicy({ status: 200, headers, body }), response)
  })
  app.use(((error, _request, response, _next) => {
    console.error(error)
    const message = 'The document cannot be shown. The cause is in the log of the sandbox.'
    send(problems.internalError(message).toResponse(), response)
  }) satisfies express.ErrorRequestHandler)

  return app
}

function wantedBy(
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  sandbox: ServedSandbox,
  { isControlled }: DocumentOptions,
): WantedDocument | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const [path] = splitTarget(url)
  const [, rootFormat] = ROOT_PATH.exec(path) ?? []
  if (rootFormat !== undefined) {
    return isInApi(path, sandbox) ? undefined : { format: formatOf(rootFormat), prefix: '' }
  }
  const [, prefix = '', format] = (isControlled && CONTROL_PATH.exec(path)) || []
  if (format === undefined || chooseWorld(prefix).nameError) return undefined

  return { format: formatOf(format), prefix }
}

function isInApi(path: string, sandbox: ServedSandbox): boolean {
  return (
    routerOf(sandbox)
      .resolveMount(path, () => undefined)
      ?.exists() ?? false
  )
}

function formatOf(extension: string): DocumentFormat {
  return extension === 'yaml' ? 'yaml' : 'json'
}
