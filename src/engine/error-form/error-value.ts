import type { MediaType } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { ErrorFacts } from './error-facts.ts'
import { errorTemplate, type TemplateOptions } from './error-template.ts'
import { fillError } from './fill-error.ts'

/** The value of an error body. */
export interface FoundValue {
  readonly value: unknown
  /** Why the value does not match its schema; absent when it does. */
  readonly reason?: string
}

/** The value of an error body: as the document describes it, with what happened. */
export async function errorValue(
  media: MediaType,
  facts: ErrorFacts,
  options: TemplateOptions,
): Promise<FoundValue> {
  const { schema, validate } = media
  const own = sandboxError(facts)
  if (hasSandboxForm(media, own)) return { value: own }
  const hasExamples = media.examples !== undefined && !options.isDynamic
  const names = schema ? [...propertiesOf(schema).keys()] : []
  if (names.length === 0 && !hasExamples && (validate?.(own) ?? true)) {
    return { value: /problem/.test(media.mediaType) ? problemDetails(facts) : own }
  }
  const template = await errorTemplate(media, options)
  // Nothing is known of a status that is only forced, so an example says more.
  if (template.isExample && facts.isForcedStatus) return template
  const value =
    template.value === undefined ? own : fillError(template.value, schema, validate, facts)
  const { reason } = template

  return reason === undefined || validate?.(value) ? { value } : { value, reason }
}

/** The Error object of the sandbox. */
function sandboxError({ code, message, status }: ErrorFacts): Readonly<Record<string, unknown>> {
  return { code, message, status }
}

/** Whether the document describes exactly the Error object of the sandbox. */
function hasSandboxForm({ schema, validate }: MediaType, own: object): boolean {
  if (!schema || !validate?.(own)) return false
  const names = [...propertiesOf(schema).keys()]
  return names.length === Object.keys(own).length && names.every((name) => name in own)
}

/** The object of RFC 9457. */
function problemDetails({ status, phrase, message, request }: ErrorFacts): object {
  return {
    type: 'about:blank',
    title: phrase,
    status,
    detail: message,
    ...(request && { instance: request.path }),
  }
}
