import { UsageError } from '../validation/usage-error.ts'
import { answerOfResponse, OWN_HEADERS } from './answer-response.ts'
import type { Answer, AnyHandler, HandlerContext } from './define-handlers.ts'

/**
 * A handler that sends the request, as it was sent, to the same path below another address, and answers what that one answers. It
 * follows no redirection.
 */
export function passthrough(address: string): AnyHandler {
  if (!/^https?:/.test(address) || !URL.canParse(address))
    throw new UsageError({
      code: 'invalid_option',
      task: 'pass requests through',
      reason: `"${address}" is no http or https address`,
      help: 'Write it as https://api.example.com.',
    })
  return (context) => forward(address, context)
}

async function forward(
  address: string,
  { operation: { method }, url, headers, rawBody, signal }: HandlerContext,
): Promise<Answer> {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || OWN_HEADERS.has(name) ? [] : [[name, value] as [string, string]],
  )
  const hasBody = rawBody !== undefined && method !== 'GET' && method !== 'HEAD'
  const response = await fetchFrom(address, url, {
    method,
    headers: sent,
    signal,
    redirect: 'manual',
    ...(hasBody && { body: new Uint8Array(rawBody) }),
  })
  return answerOfResponse(response, signal)
}

/** Rejects with an error that names the address, where the other service cannot be reached. */
async function fetchFrom(address: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address.replace(/\/$/, '') + url, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    const { cause, message } = error instanceof Error ? error : new Error(String(error))
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message
    throw new Error(`${address} cannot be reached: ${reason}`, { cause: error })
  }
}
