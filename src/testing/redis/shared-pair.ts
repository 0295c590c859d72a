import type { Contract } from '../../contract/contract.ts'
import { openRedisStore } from '../../redis/open-redis-store.ts'
import { createSharedSandbox, type SharedOptions } from '../../redis/shared-sandbox.ts'
import type { SharedSandbox } from '../../redis/world-choice.ts'
import { answerRequest } from '../../sandbox/fetch.ts'
import { routerOf } from '../../sandbox/router.ts'
import { loadDocumentOf } from '../load-document-of.ts'
import { type JsonObject, type JsonResponse, readJson } from '../responses.ts'

/** The sandboxes of a test on one store. */
export class SharedPair {
  readonly sandboxes: readonly [SharedSandbox, SharedSandbox]
  /** The names of the calls of the store. */
  readonly calls: string[]
  readonly close: () => Promise<void>

  private constructor(
    sandboxes: readonly [SharedSandbox, SharedSandbox],
    calls: string[],
    close: () => Promise<void>,
  ) {
    this.sandboxes = sandboxes
    this.calls = calls
    this.close = close
  }

  /** Opens two sandboxes, whose keys in the store have a prefix of their own. */
  static async open(
    address: string,
    options: Omit<SharedOptions, 'store'> = {},
  ): Promise<SharedPair> {
    const prefix = `test-${crypto.randomUUID()}`
    const calls: string[] = []
    const onCall = (call: string): void => void calls.push(call)
    const create = async (): Promise<SharedSandbox> =>
      createSharedSandbox({ ...options, store: await openRedisStore(address, { prefix, onCall }) })
    const [one, two] = [await create(), await create()]

    return new SharedPair([one, two], calls, async () => {
      for (const sandbox of [one, two]) {
        sandbox.close()
        await sandbox.store.close()
      }
    })
  }

  /** Sends a request to the sandbox with this number. All even numbers are the first one, all odd numbers the second. */
  async send<Body = JsonObject>(
    sandbox: number,
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = { Authorization: 'Bearer sk_sandbox_enterprise' },
  ): Promise<JsonResponse<Body>> {
    const text = body && JSON.stringify(body)
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...headers,
        ...(text && { 'Content-Type': 'application/json', 'Content-Length': `${text.length}` }),
      },
      ...(text && { body: text }),
    })
    const router = routerOf(this.sandboxes[sandbox % 2 === 0 ? 0 : 1])

    return readJson<Body>(await answerRequest(request, router))
  }
}

/** The integers from 0 to below `length`. */
export function range(length: number): readonly number[] {
  return Array.from({ length }, (_, at) => at)
}

/** The contract of a document of items, which have parts. */
export function loadItems(hints: object = {}): Promise<Contract> {
  const paths = {
    ...collection('/items', 'item'),
    ...collection('/items/{item}/parts', 'part'),
  }
  return loadDocumentOf(paths, {
    'x-sandbox': { resources: { '/items': hints } },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  })
}

const RECORD = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
}

function collection(path: string, id: string): object {
  const parameters = path.includes('{') ? [parameter('item')] : []
  const found = { 404: { description: 'Missing' } }
  const content = { 'application/json': { schema: RECORD } }
  const one = { description: 'OK', content }
  const list = { 'application/json': { schema: { type: 'array', items: RECORD } } }
  const requestBody = { content }

  return {
    [path]: {
      parameters,
      get: { responses: { 200: { description: 'OK', content: list }, ...found } },
      post: { requestBody, responses: { 201: one, ...found } },
    },
    [`${path}/{${id}}`]: {
      parameters: [...parameters, parameter(id)],
      get: { responses: { 200: one, ...found } },
      patch: { requestBody, responses: { 200: one, ...found } },
      delete: { responses: { 204: { description: 'OK' }, ...found } },
    },
  }
}

function parameter(name: string): object {
  return { name, in: 'path', required: true, schema: { type: 'integer' } }
}
