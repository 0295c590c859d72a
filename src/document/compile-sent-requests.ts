import type { Callback, SentRequest } from '../contract/contract.ts'
import { type CompileContext, compileContent } from './compile-content.ts'
import { resolveRef } from './document.ts'
import { asObject } from './json-value.ts'
import { methodsOf } from './operations.ts'

/** The requests in the `webhooks` of a document (OpenAPI 3.1). */
export function compileWebhooks(
  webhooks: unknown,
  context: CompileContext,
): readonly SentRequest[] {
  return Object.entries(asObject(webhooks)).flatMap(([name, item]) =>
    requestsIn(name, item, context),
  )
}

/** The requests in the `callbacks` of an operation, by the runtime expressions that lead to their addresses. */
export function compileCallbacks(callbacks: unknown, context: CompileContext): readonly Callback[] {
  const { document } = context
  return Object.entries(resolveRef(document, callbacks)).flatMap(([name, callback]) =>
    Object.entries(resolveRef(document, callback)).flatMap(([url, item]) =>
      requestsIn(name, item, context).map((request) => ({ ...request, url })),
    ),
  )
}

/** The requests of a path item. What the service sends contains what is read-only, as its responses do. */
function requestsIn(name: string, item: unknown, context: CompileContext): readonly SentRequest[] {
  const { document } = context
  return methodsOf(resolveRef(document, item)).map(({ method, operation }) => {
    const { requestBody } = resolveRef(document, operation)
    const { content: source } = resolveRef(document, requestBody)
    const content = source === undefined ? [] : compileContent(source, 'response', context)
    return { name, method, ...(content.length > 0 && { content }) }
  })
}
