import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { Schema } from '../../contract/contract.ts'
import type { Outcome } from '../../forcing/outcomes.ts'
import { formatNumber } from '../../report/format.ts'
import { isObject } from '../../validation/objects.ts'
import { useLoaded, usePage, useTrafficOf } from '../page.ts'
import { Button, Pending, StatusBadge, useFirst } from '../parts/elements.tsx'
import { viewOf } from '../schema-view.ts'
import { schemasOf } from './operation.ts'
import { contentOf, withValue } from './request-body.ts'
import type { RequestForm } from './request-form.ts'
import type { OpenRequest } from './request-panel.tsx'

/** Milliseconds between two readings of the coverage, while there are new requests of the operation. */
const INTERVAL = 5000

/** How many items are shown at first. */
const SHOWN = 60

type Covered = Awaited<ReturnType<SandboxClient['report']>>['coverage']['operations'][number]

/** Which documented statuses, values and kinds of invalid input the requests covered. What is missing is a button that sends it. */
export function Coverage({ request }: { readonly request: OpenRequest }): JSX.Element {
  const { client, store } = usePage()
  const { operation } = request.details
  const known = useRef<{ readonly version: string; readonly covered: Covered | undefined }>(
    undefined,
  )
  const load = async () => {
    const version = `${request.count} ${store.traffic.versionOf(operation)}`
    if (known.current?.version === version) return known.current.covered
    const { coverage } = await client.report({ only: [], coverageOf: [operation] })
    known.current = { version, covered: coverage.operations[0] }
    return known.current.covered
  }
  const { value, error } = useLoaded(load, [operation, request.count], INTERVAL)
  if (!value) return <Pending error={error} />
  const groups = [
    ['Statuses', value.statuses],
    ['Values', value.values],
    ['Invalid input', value.errors],
  ] as const

  return (
    <section aria-label="Coverage">
      <h3>Coverage</h3>
      {groups.map(
        ([label, items]) =>
          items.length > 0 && <Items key={label} label={label} items={items} request={request} />,
      )}
      <p class="hint">What no request covered yet is a button, where it can be sent.</p>
    </section>
  )
}

interface ItemsProps {
  readonly label: string
  readonly items: readonly { readonly name: string; readonly count: number }[]
  readonly request: OpenRequest
}

function Items({ label, items, request }: ItemsProps): JSX.Element {
  const { first, more } = useFirst(items, SHOWN)
  const met = items.filter(({ count }) => count > 0).length

  return (
    <div class="coverage-group">
      <p>
        {label}{' '}
        <span class="quiet">
          {met} of {items.length}
        </span>
      </p>
      <ul class="coverage-items">
        {first.map(({ name, count }) => (
          <li key={name}>
            <Item name={name} count={count} request={request} />
          </li>
        ))}
      </ul>
      {more}
    </div>
  )
}

interface ItemProps {
  readonly name: string
  readonly count: number
  readonly request: OpenRequest
}

function Item({ name, count, request }: ItemProps): JSX.Element {
  const form = count === 0 ? formFor(name, request) : undefined
  if (count > 0) {
    return (
      <span class="badge good">
        {name} × {formatNumber(count)}
      </span>
    )
  }
  if (!form) return <span class="badge">{name}</span>

  return (
    <Button
      class="small"
      disabled={request.isSending}
      aria-label={`Send ${name}`}
      onClick={() => request.sendForm(form)}
    >
      {name}
    </Button>
  )
}

/** What forces the refusals that need a spent quota or a ban. */
const OUTCOME_OF: Readonly<Record<string, Outcome>> = {
  "429 by the minute's quota": 'rate-limited',
  "429 by the day's quota": 'day-exhausted',
  '429 by a ban': 'banned',
  '404 after its removal': 'removed',
}

/** The form of a request that covers an item of the coverage; `undefined` when none is known. */
export function formFor(
  name: string,
  request: Pick<OpenRequest, 'details' | 'form' | 'loaded'>,
): RequestForm | undefined {
  const { form } = request
  const status = /^([1-5])(\d\d|XX)$/.exec(name)
  if (status)
    return { ...form, prefer: `code=${status[1]}${status[2] === 'XX' ? '00' : status[2]}` }
  if (name === 'default') return { ...form, prefer: 'code=500' }
  const outcome = OUTCOME_OF[name]
  if (outcome !== undefined) return { ...form, prefer: `outcome=${outcome}` }
  if (name === '401 without a key') return { ...form, prefer: '', key: '' }
  if (name === '401 with a wrong key') return { ...form, prefer: '', key: 'a-wrong-key' }
  const [, value] = /^((?:query|path|body)\..*=.*)$/s.exec(name) ?? []
  if (value !== undefined) return withListed(value, request)
  const [, place, part = '', missing] =
    /^4\d\d for (query|header|body)\.(.+?)( is required)?$/.exec(name) ?? []
  if (place === 'body') return withWrongProperty(part, missing !== undefined, request)

  return place === undefined ? undefined : withWrongParameter(place, part, request)
}

type Given = Pick<OpenRequest, 'details' | 'form' | 'loaded'>

/** A value that the document lists, such as `query.status=sold` or `body.kind=cat`. */
function withListed(text: string, { form, loaded, details }: Given): RequestForm | undefined {
  const [place = '', value = ''] = text.split(/=(.*)/s)
  const [location = '', name = ''] = place.split(/\.(.*)/s)
  if (location !== 'body') {
    const found = form.parameters.find((one) => one.in === location && one.name === name)
    const isList = found && viewOf(found.schema, schemasOf(details)).types.includes('array')
    return found && withParameter(form, found, isList ? [value] : value)
  }
  const property = propertyOf(name, { form, loaded, details })
  const listed = property?.schema.enum?.find((one) => String(one) === value)

  return property && listed !== undefined ? property.with(listed) : undefined
}

function withParameter(
  form: RequestForm,
  changed: RequestForm['parameters'][number],
  value: unknown,
): RequestForm {
  const parameters = form.parameters.map((one) => (one === changed ? { ...one, value } : one))
  return { ...form, prefer: '', parameters }
}

/** A parameter whose value has another type, or is not among those that are listed. */
function withWrongParameter(
  place: string,
  name: string,
  { form, details }: Given,
): RequestForm | undefined {
  const found = form.parameters.find((one) => one.in === place && one.name === name)
  if (!found) return undefined
  const { schema, types } = viewOf(found.schema, schemasOf(details))
  const { format, enum: listed, maxLength, pattern, minLength } = schema
  const isText = types.length === 0 || types.includes('string')
  const isLimited = listed ?? format ?? pattern
  if (isText && typeof maxLength === 'number') {
    return withParameter(form, found, 'x'.repeat(Math.min(maxLength, 10_000) + 1))
  }
  if (isText && isLimited === undefined && place === 'query' && minLength !== undefined)
    return withParameter(form, found, '')
  if (isText && isLimited === undefined && !found.required) return undefined
  if (isText && isLimited === undefined) return withParameter(form, found, undefined)

  return withParameter(form, found, types.includes('array') ? ['~wrong~'] : '~wrong~')
}

/** A property of the body, and a form with another value of it. */
function propertyOf(name: string, { form, loaded }: Given) {
  const { body } = form
  if (!body || !loaded.options) return undefined
  const { value } = withValue(body, loaded.options)
  const { schemas } = loaded.options
  const { schema } = viewOf(contentOf(body, loaded.options).schema, schemas)
  const property: Schema | undefined = schema.properties?.[name]
  if (!property || (value !== undefined && !isObject(value))) return undefined
  const members = Object.entries(value ?? {}).filter(([key]) => key !== name)

  return {
    schema: viewOf(property, schemas).schema,
    types: viewOf(property, schemas).types,
    with: (inner: unknown): RequestForm => {
      const own = inner === undefined ? [] : [[name, inner] as const]
      const changed = Object.fromEntries([...members, ...own])
      return { ...form, prefer: '', body: { ...body, value: changed, text: undefined } }
    },
  }
}

/** A body without a property, or with one whose value has another type. */
function withWrongProperty(
  name: string,
  isMissing: boolean,
  given: Given,
): RequestForm | undefined {
  const property = propertyOf(name, given)
  if (isMissing) return property?.with(undefined)
  if (!property || property.types.length === 0) return undefined

  return property.with(property.types.includes('object') ? '~wrong~' : { '~wrong~': true })
}

/** How many exchanges are shown. */
const LATEST = 8

/** The latest exchanges of an operation. */
export function LatestTraffic({ operation }: { readonly operation: string }): JSX.Element {
  const { linkTo } = usePage()
  const traffic = useTrafficOf(operation)
  const filter = { operation, status: '', key: '', text: '' }
  const latest = traffic.matching(filter).slice(-LATEST).reverse()

  return (
    <section aria-label="Latest traffic">
      <h3>Latest traffic</h3>
      {latest.length === 0 ? (
        <p class="hint">No request was sent yet.</p>
      ) : (
        <ul class="latest">
          {latest.map(({ id, status, method, target, refusal, source, sourceReason }) => (
            <li key={id}>
              <a href={linkTo({ view: 'traffic', path: [String(id)] })}>{id}</a>{' '}
              <StatusBadge status={status} />{' '}
              <code class="long">
                {method} {target}
              </code>{' '}
              <span class="quiet long" title={sourceReason}>
                {refusal?.message ?? source}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={linkTo({ view: 'traffic', query: { operation } })}>Show its exchanges</a>
      </p>
    </section>
  )
}
