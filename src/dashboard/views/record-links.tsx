import type { ComponentChildren, JSX } from 'preact'
import { getOwn } from '../../validation/objects.ts'
import { useLoaded, usePage } from '../page.ts'
import { Field, Select } from '../parts/field.tsx'
import {
  type CollectionDetails,
  findMissingParent,
  inputKindOf,
  parentsOf,
  type RecordValues,
} from './record-values.ts'

/** The names of a collection as links: to the collections and records that it is below. */
export function CollectionName({ name }: { readonly name: string }): JSX.Element {
  const { client, linkTo } = usePage()
  const isBelow = name.includes('/')
  const { value: collections = [] } = useLoaded(
    async () => (isBelow ? client.collectionsTo(name) : []),
    [name],
  )
  const segments = name.split('/')
  const parents = parentsOf(name, collections)

  return (
    <>
      {segments.map((segment, at) => {
        const path = segments.slice(0, at)
        const parent = parents.find(({ collection }) => collection === path.join('/'))
        const isCollection = parents.some(
          ({ collection }) => collection === segments.slice(0, at + 1).join('/'),
        )
        const href = parent
          ? linkTo({ view: 'records', path, query: { record: segment } })
          : linkTo({ view: 'records', path: segments.slice(0, at + 1) })
        return (
          <code key={at}>
            {at > 0 && '/'}
            {parent || isCollection ? <a href={href}>{segment}</a> : segment}
          </code>
        )
      })}
    </>
  )
}

interface RecordLinksProps {
  readonly details: CollectionDetails
  readonly id: string
}

/** The collections below a record, and those whose records refer to it. Nothing when there are none. */
export function RecordLinks({ details, id }: RecordLinksProps): JSX.Element | null {
  const { client, linkTo } = usePage()
  const { name } = details
  const { value } = useLoaded(() => client.describeCollection(name, { links: true }), [name])
  const { below: templates = [], referredBy = [] } = value ?? {}
  const below = templates.map((template) => collectionBelow(template, name, id))
  if (below.length === 0 && referredBy.length === 0) return null

  return (
    <section aria-label="Linked records">
      <h3>Linked records</h3>
      <ul class="links">
        {below.map((one) => (
          <li key={one}>
            <a href={linkTo({ view: 'records', path: one.split('/') })}>
              <code class="long">{one}</code>
            </a>
          </li>
        ))}
        {referredBy.map(({ collection, property }) => (
          <li key={`${collection} ${property}`}>
            <a
              href={linkTo({
                view: 'records',
                path: collection.split('/'),
                query: { [`where.${property}`]: id },
              })}
            >
              <code class="long">{collection}</code> with {property} = {id}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The collection right below a record: its template with the ids of the collection's own parents, and that of the record. */
function collectionBelow(template: string, name: string, id: string): string {
  const segments = template.split('/')
  const last = segments.findLastIndex((one) => one.startsWith('{'))
  const own = name.split('/')
  const filled = segments.map((segment, at) => {
    if (at === last) return encodeURIComponent(id)
    return segment.startsWith('{') ? (own[at] ?? '') : segment
  })
  return filled.join('/')
}

interface LinkedValueProps {
  /** The collection whose id the value is; absent for another value. */
  readonly collection: string | undefined
  readonly value: unknown
  readonly children: ComponentChildren
}

/** A value, as a link to the record whose id it is. */
export function LinkedValue({ collection, value, children }: LinkedValueProps): JSX.Element {
  const { linkTo } = usePage()
  const isId = typeof value === 'number' || (typeof value === 'string' && value !== '')
  if (collection === undefined || !isId) return <>{children}</>

  const query = { record: String(value) }
  return <a href={linkTo({ view: 'records', path: collection.split('/'), query })}>{children}</a>
}

interface RecordChoiceProps {
  readonly label: string
  readonly collection: string
  readonly value: string
  readonly onInput: (id: string) => void
  readonly isRequired?: boolean
  readonly error?: string | undefined
  readonly hint?: string
}

/** With more records, an id is typed, and the first ones are suggested. */
const MAX_CHOICES = 200

/** The id of a record, to be chosen among those that exist. */
export function RecordChoice(props: RecordChoiceProps): JSX.Element {
  const { client } = usePage()
  const { collection, value, onInput, isRequired = false, hint = '', ...rest } = props
  const { value: found } = useLoaded(() => listChoices(client, collection), [collection])
  const { records, isAll } = found ?? { records: [], isAll: false }
  // The control stays the same one, with its focus, when the few records of most collections are loaded.
  if (!found || (isAll && records.length > 0)) {
    return (
      <Select
        {...{ ...rest, value, hint }}
        choices={[
          { value: '', label: isRequired ? 'Choose a record' : 'Not set' },
          ...records.map(({ id, label }) => ({ value: id, label })),
        ]}
        onChange={onInput}
      />
    )
  }
  const ids = records.map(({ id }) => id)

  return (
    <Field
      {...{ ...rest, value, isRequired, onInput }}
      suggestions={ids}
      hint={ids.length > 0 ? `Such as ${ids.slice(0, 3).join(', ')}` : hint}
    />
  )
}

interface Choices {
  readonly records: readonly { readonly id: string; readonly label: string }[]
  readonly isAll: boolean
}

/** The first records of a collection; none of one that does not exist, or is below a record that does not. */
async function listChoices(
  client: ReturnType<typeof usePage>['client'],
  collection: string,
): Promise<Choices> {
  const none = { records: [], isAll: false }
  if (collection.split('/').includes('')) return none
  try {
    if ((await findMissingParent(client, collection)) !== null) return none
    const details = await client.describeCollection(collection)
    const records = await client.collection(collection).list({ limit: MAX_CHOICES + 1 })
    return {
      isAll: records.length <= MAX_CHOICES,
      records: records
        .slice(0, MAX_CHOICES)
        .map((record) => ({ id: String(record[details.id]), label: labelOf(record, details) })),
    }
  } catch {
    return none
  }
}

/** The id of a record, with its first text beside it, such as `7 · Central Zoo`. */
function labelOf(record: RecordValues, { id, properties }: CollectionDetails): string {
  const texts = properties
    .filter(({ name, schema }) => name !== id && inputKindOf(schema) === 'text')
    .map(({ name }) => getOwn(record, name))
  const text = texts.find((one) => typeof one === 'string' && one !== '')
  const own = String(record[id])

  return typeof text === 'string' ? `${own} · ${text.slice(0, 60)}` : own
}
