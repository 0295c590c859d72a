import type { MediaType } from '../../contract/contract.ts'
import { documentedValue, type ValueContext } from '../../responses/documented-value.ts'
import { knownValues } from '../../responses/known-values.ts'
import { isObject } from '../../validation/objects.ts'

type Envelope = Readonly<Record<string, unknown>>

/** The envelope of each media type, without what requests name. It is the same for all records, and for all orders of requests. */
const envelopes = new WeakMap<MediaType, Promise<Envelope | undefined>>()

/** The body in which a response contains records: with the values that the request's path names, and with any records. */
export async function envelopeFor(
  media: MediaType,
  context: ValueContext,
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
  context: ValueContext,
): Promise<Envelope | undefined> {
  const result = await documentedValue(media, { ...context, parameters: {} }, { takesText: false })

  return 'value' in result && isObject(result.value) ? result.value : undefined
}
