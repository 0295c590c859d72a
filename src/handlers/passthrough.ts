import type { Answer, AnyHandler, HandlerContext } from './define-handlers.ts'

/** The headers that belong to one connection, or that the other side has to find out itself. */
const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'content-encoding',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

/** A handler that sends the request to the same path below another address, and answers what that one answers. */
export function passthrough(address: string): AnyHandler {
  return (context) => forward(address, context)
}

async function forward(
  address: string,
  { operation, url, headers, body, signal }: HandlerContext,
): Promise<Answer> {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || OWN_HEADERS.has(name) ? [] : [[name, value] as [string, string]],
  )
  const response = await fetch(address.replace(/\/$/, '') + url, {
    method: operation.method,
    headers: sent,
    signal,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = /[/+]json\b/i.test(response.headers.get('content-type') ?? '')
  const given = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name))

  return {
    status: response.status,
    headers: Object.fromEntries(given),
    ...(text !== '' && { body: isJson ? JSON.parse(text) : text }),
  }
}
