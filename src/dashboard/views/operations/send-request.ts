import type { Exchange } from '../../../journal/exchange.ts'
import type { Page } from '../../page.ts'
import { requireApiAddress } from '../../sandbox/request-address.ts'
import type { Replay } from '../traffic/replay.ts'
import type { Pair } from './operation-types.ts'

/** The response to a request of the page. */
export interface SentResponse {
  readonly status: number
  readonly headers: readonly Pair[]
  /** The text of the body; absent when it is not text. */
  readonly body?: string
  readonly bytes: number
  readonly milliseconds: number
  /** The id of its exchange; absent when the journal does not have it. */
  readonly exchange?: number
}

/** Sends a request, and finds its exchange in the journal. */
export async function sendRequest(
  { client: { journal }, site }: Pick<Page, 'client' | 'site'>,
  request: Replay,
  signal: AbortSignal,
): Promise<SentResponse> {
  const { url, method, headers, body } = request
  requireApiAddress(url, site)
  const after = await journal.last()
  const start = performance.now()
  const response = await fetch(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    credentials: 'omit',
    redirect: 'manual',
    signal,
    ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body }),
  })
  const content = await response.arrayBuffer()
  const milliseconds = performance.now() - start
  const exchange = findExchange(await journal.find({ after, limit: 50 }), request)
  const text = decode(content)

  return {
    // Browsers hide the status of a redirection. The journal has it.
    status: response.status || (exchange?.status ?? 0),
    headers: response.status ? [...response.headers] : (exchange?.response.headers ?? []),
    ...(text !== undefined && { body: text }),
    bytes: content.byteLength,
    milliseconds,
    ...(exchange && { exchange: exchange.id }),
  }
}

/** The exchange of a request among the latest ones. */
function findExchange(
  exchanges: readonly Exchange[],
  { url, method }: Pick<Replay, 'method' | 'url'>,
): Exchange | undefined {
  return exchanges.find((one) => one.method === method && hasTarget(url, one.target))
}

/** The journal masks keys in the query, so that the path alone is compared. */
function hasTarget(url: string, target: string): boolean {
  const [address = ''] = url.split('?')
  const [path = ''] = target.split('?')
  return address.endsWith(path)
}

function decode(content: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}
