import type { MediaType } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { plainName } from '../../contract/schema.ts'
import { asSuccess } from '../../responses/as-success.ts'
import {
  documentedValue,
  knownValues,
  type ValueContext,
} from '../../responses/documented-value.ts'
import { isObject, once } from '../../validation/objects.ts'
import type { ReadFigure } from '../paging/page-figures.ts'
import { writeEnvelope } from '../paging/write-envelope.ts'
import type { ViewContext } from './record-view.ts'

// What a response has around its records.

type Envelope = Readonly<Record<string, unknown>>

type EnvelopeContext = ValueContext & Pick<ViewContext, 'hints'>

/**
 * The envelope of each media type in a sandbox, without what requests name. It is the same for all records, and for all orders of requests.
 */
const envelopesOf = once(
  (_: EnvelopeContext['service']) => new WeakMap<MediaType, Promise<Envelope | undefined>>(),
)

/** The body in which a response contains records: with the values that the request's path names, and with any records. */
export async function envelopeFor(
  media: MediaType,
  context: EnvelopeContext,
): Promise<Envelope | undefined> {
  const envelopes = envelopesOf(context.service)
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
    ? withStatus(asSuccess(result.value, media, context.hints.record), media, context)
    : undefined
}

/** What the status of a response is called in its body. */
const STATUS = /^(http)?(status|statuscode|code)$/

/** An envelope whose number for the status of the response is that one, where it is none of a success. */
function withStatus(
  envelope: Envelope,
  { validate = () => true }: MediaType,
  { operation }: EnvelopeContext,
): Envelope {
  const { status } = chooseResponse(operation)
  let told = envelope
  for (const [name, value] of Object.entries(envelope)) {
    const isWrong = typeof value === 'number' && !(value >= 200 && value < 300)
    // A code is 0 in many APIs.
    const isSuccess = plainName(name) === 'code' && value === 0
    if (!isWrong || isSuccess || !STATUS.test(plainName(name))) continue
    const changed = { ...told, [name]: status }
    if (validate(changed)) told = changed
  }
  return told
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
