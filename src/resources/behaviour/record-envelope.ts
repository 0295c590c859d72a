import type { MediaType } from '../../contract/contract.ts'
import type { OperationHints } from '../../contract/hints.ts'
import { parsePointer, plainName, requiredNames } from '../../contract/schema.ts'
import {
  documentedValue,
  knownValues,
  type ValueContext,
} from '../../responses/documented-value.ts'
import { isObject } from '../../validation/objects.ts'
import type { ReadFigure } from '../paging/page-figures.ts'
import { writeEnvelope } from '../paging/write-envelope.ts'
import type { ViewContext } from './record-view.ts'

// What a response has around its records.

type Envelope = Readonly<Record<string, unknown>>

type EnvelopeContext = ValueContext & Pick<ViewContext, 'hints'>

/** The envelope of each media type, without what requests name. It is the same for all records, and for all orders of requests. */
const envelopes = new WeakMap<MediaType, Promise<Envelope | undefined>>()

/** The body in which a response contains records: with the values that the request's path names, and with any records. */
export async function envelopeFor(
  media: MediaType,
  context: EnvelopeContext,
): Promise<Envelope | undefined> {
  const made = envelopes.get(media) ?? makeEnvelope(media, context)
  envelopes.set(media, made)
  const envelope = await made
  const known = knownValues(context.operation, context.parameters, media.schema)
  if (!envelope || Object.keys(known).length === 0) return envelope
  const changed = { ...envelope, ...known }

  return !media.validate || media.validate(changed) ? changed : envelope
}

async function makeEnvelope(
  media: MediaType,
  context: EnvelopeContext,
): Promise<Envelope | undefined> {
  const result = await documentedValue(media, { ...context, parameters: {} }, { takesText: false })

  return 'value' in result && isObject(result.value)
    ? ofSuccess(result.value, media, context.hints)
    : undefined
}

/** What a successful response has beside its records only if something was wrong, or if the request wants other records, too. */
const ASIDE = /^(errors?|warnings?|included|includes)$/
/** Flags that say whether a request succeeded. */
const SUCCEEDED = /^(ok|success|succeeded|issuccess|successful|issuccessful)$/

/** The envelope of a success: without errors and other records as far as its schema allows that, and with flags that say so. */
function ofSuccess(
  envelope: Envelope,
  { schema = {}, validate = () => true }: MediaType,
  { record = '' }: OperationHints,
): Envelope {
  const [own] = parsePointer(record)
  const required = requiredNames(schema)
  let shown = envelope
  for (const [name, value] of Object.entries(envelope)) {
    const { [name]: _, ...without } = shown
    const values = name === own ? [] : valuesOfSuccess(plainName(name), value)
    const isLeftOut = values.length > 0 && typeof value !== 'boolean' && !required.has(name)
    const changed = values.map((one) => ({ ...shown, [name]: one }))
    shown = [...(isLeftOut ? [without] : []), ...changed].find((one) => validate(one)) ?? shown
  }
  return shown
}

/** What a property beside the records may be when a request has succeeded; empty where it says nothing of that. */
function valuesOfSuccess(name: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'boolean') return ASIDE.test(name) ? [null, []] : []
  if (SUCCEEDED.test(name)) return [true]
  return ASIDE.test(name) ? [false] : []
}

/** A valid body with true figures about the page. A body that is not valid stays as it is. */
export function withFigures(
  body: unknown,
  { schema, validate = () => true }: MediaType,
  { hints: { envelope } }: Pick<ViewContext, 'hints'>,
  figure: ReadFigure | undefined,
): unknown {
  if (!envelope || !figure || !schema) return body
  return writeEnvelope(body, { envelope, figure, schema, validate })
}
