import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { inferValues, VALUE_RULES } from './value-rules.ts'

const MOMENT: Schema = { type: 'string', format: 'date-time' }
const NULLABLE: Schema = { type: ['string', 'null'], format: 'date-time' }
const NULL_TEXT: Schema = { type: ['string', 'null'] }
const COUNT: Schema = { type: 'integer' }
const FLAG: Schema = { type: 'boolean' }
const STATE: Schema = { type: 'string', enum: ['closed', 'open', 'new'] }
const EXPANDABLE: Schema = {
  anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'string' } } }],
}
const SHOWN_EXPANDABLE: Schema = {
  anyOf: [
    { type: 'string' },
    { type: 'object', properties: { id: { type: 'string' } }, example: { id: 'ch_1' } },
  ],
}
const LIST: Schema = { type: 'array', items: { type: 'object' } }

const CONTEXT = {
  id: 'id',
  itemPath: '/issues/{issue}',
  below: ['comments', 'time-entries'],
  sent: new Set(['title', 'labels', 'private', 'metadata']),
}

function valuesOf(properties: Schema['properties'], required: readonly string[] = []): unknown {
  return inferValues([{ type: 'object', properties: properties ?? {}, required }], CONTEXT)
}

describe('what a service sets in a new record', () => {
  it('has not been sent where a state says whether it was', () => {
    const sent_at: Schema = { type: 'string', example: '2023-10-06 22:59:55.977+00' }

    expect(valuesOf({ sent_at, status: { type: 'string', example: 'draft' } })).toEqual({
      sent_at: '{absent}',
    })
    expect(valuesOf({ sent_at })).toEqual({ sent_at: '{now}' })
  })

  it('is not the default one of its kind, whatever an example shows', () => {
    expect(valuesOf({ default: { type: 'boolean', example: true } })).toEqual({ default: false })
  })

  it('has no name of what an id refers to that requests choose', () => {
    const properties = { label_id: COUNT, label_name: { type: 'string', example: 'Urgent' } }
    const sent = new Set(['labelid'])

    expect(inferValues([{ type: 'object', properties }], { ...CONTEXT, sent })).toEqual({
      label_name: '{absent}',
    })
  })

  it('refers to no record that a request may name and does not, but to those of the caller', () => {
    const properties = {
      folder_id: NULL_TEXT,
      user_id: NULL_TEXT,
      external_id: { type: 'string' },
    } as const
    const sent = new Set(['folderid', 'userid', 'externalid'])
    const schema = { type: 'object', properties, required: Object.keys(properties) } as const

    expect(inferValues([schema], { ...CONTEXT, sent })).toEqual({ folder_id: '{absent}' })
  })

  it('has no tags, also where records must have some', () => {
    const tags = { type: 'array', items: { type: 'string' } } as const

    expect(valuesOf({ tags }, ['tags'])).toEqual({ tags: [] })
  })

  it.each<[name: string, schema: Schema, value: unknown]>([
    ['created_at', MOMENT, '{now}'],
    ['timestamp', MOMENT, '{now}'],
    ['started_at', MOMENT, '{now}'],
    ['closed', MOMENT, '{absent}'],
    ['private', FLAG, false],
    ['hearted', { ...FLAG, example: true }, false],
    ['date', MOMENT, '{now}'],
    ['occurred_at', MOMENT, '{now}'],
    ['sent_at', MOMENT, '{now}'],
    ['joined_at', NULLABLE, '{absent}'],
    ['status', { type: 'string' }, 'active'],
    ['createdOn', { type: 'integer' }, '{now}'],
    ['dateCreated', { type: 'string' }, '{now}'],
    ['creationTimestamp', MOMENT, '{now}'],
    ['updated_at', MOMENT, '{changed}'],
    ['lastModifiedDateTime', MOMENT, '{changed}'],
    ['date_updated', { type: 'string' }, '{changed}'],
    ['closed_at', NULLABLE, '{absent}'],
    ['approved_at', NULLABLE, '{absent}'],
    ['version', COUNT, '{revision}'],
    ['etag', { type: 'string' }, '{revision}'],
    ['deletedOn', MOMENT, '{absent}'],
    ['comments', COUNT, '{count comments}'],
    ['comments_count', COUNT, '{count comments}'],
    ['timeEntriesCount', COUNT, '{count time-entries}'],
    ['reactionCount', COUNT, 0],
    ['open_issues', COUNT, 0],
    ['num_replies', COUNT, 0],
    ['comments', LIST, []],
    ['state', STATE, 'open'],
    ['status', { ...STATE, enum: ['triggered', 'seen', 'resolved'] }, 'triggered'],
    ['status', { enum: ['done', 'in_progress', 'queued'] }, 'queued'],
    ['status', { enum: ['void', 'draft', 'paid'] }, 'draft'],
    ['status', { enum: ['published', 'draft'] }, 'draft'],
    ['status', { enum: ['canceled', 'pending_approval', 'submitted'] }, 'pending_approval'],
    ['applied_to', { ...LIST, example: [{ id: 1 }] }, []],
    ['status', { enum: ['canceled', 'requires_payment', 'succeeded'] }, 'requires_payment'],
    ['status', { enum: ['processing', 'requires_title', 'canceled'] }, 'requires_title'],
    [
      'status',
      { enum: ['processing', 'requires_action', 'requires_labels', 'canceled'] },
      'requires_labels',
    ],
    [
      'status',
      {
        enum: ['canceled', 'processing', 'requires_payment'],
        describedValues: ['requires_payment', 'processing', 'canceled'],
      },
      'requires_payment',
    ],
    ['status', { type: 'string', describedValues: ['disabled', 'enabled'] }, 'enabled'],
    ['created', FLAG, false],
    ['livemode', FLAG, false],
    ['livemode', { ...FLAG, example: true }, true],
    ['valid', { type: ['boolean', 'null'] }, true],
    ['amount_received', COUNT, 0],
    ['amount_capturable', COUNT, 0],
    ['cleared_balance', COUNT, 0],
    ['last_reconciled_at', MOMENT, '{absent}'],
    ['cancellation_date', MOMENT, '{absent}'],
    ['activated_at', { ...NULL_TEXT, example: '2020-01-01T00:00:00Z' }, '{absent}'],
    ['cancelledBy', { type: 'string', example: 'ann' }, '{absent}'],
    ['closed_by', { ...NULL_TEXT, example: 'ann' }, '{absent}'],
    ['rejection_reason', { ...NULL_TEXT, example: 'late' }, '{absent}'],
    ['cancelled_reason', { type: 'string' }, '{absent}'],
    ['tracking_number', { type: ['string', 'null'] }, '{absent}'],
    ['topics', { type: 'array', items: { type: 'string' } }, []],
    ['balance', { type: 'number', example: 12 }, 0],
    ['times_redeemed', COUNT, 0],
    ['views', COUNT, 0],
    ['discount', { type: ['object', 'null'] }, '{absent}'],
    ['assignee_id', { type: ['string', 'null'] }, '{absent}'],
    ['failure_code', { type: ['string', 'null'] }, '{absent}'],
    ['charge', EXPANDABLE, '{absent}'],
    ['charge', SHOWN_EXPANDABLE, '{absent}'],
    ['archived', FLAG, false],
    ['is_deleted', FLAG, false],
    ['is_completed', { ...FLAG, example: true }, false],
    ['enabled', FLAG, true],
    ['enabled', { ...FLAG, example: false }, false],
    ['opened', MOMENT, '{now}'],
    ['status', { enum: ['active', 'new', 'off', 'archive'] }, 'active'],
    ['status', { enum: ['paused', 'active'] }, 'active'],
    ['priority', { type: 'string', default: 'normal' }, 'normal'],
    ['self', { type: 'string', format: 'uri' }, '{self}'],
    ['url', { type: 'string', example: 'https://api.test/v1/issues/7' }, '{self}'],
  ])('is for %s %j: %j', (name, schema, value) => {
    expect(valuesOf({ [name]: schema })).toEqual({ [name]: value })
  })

  it.each<[why: string, name: string, schema: Schema, required?: readonly string[]]>([
    ['it is the id', 'id', { ...COUNT, default: 0 }],
    ['it is a number', 'number', COUNT],
    ['it must be there', 'closed_at', MOMENT, ['closed_at']],
    ['it must be there', 'closed_by', { type: 'string' }, ['closed_by']],
    ['it is who changed it', 'last_updated_by', { type: 'string' }],
    ['it is no end', 'reason', { type: 'string' }],
    ['it is a limit', 'max_comment_count', COUNT],
    ['it is a size', 'word_count', COUNT],
    ['it is never 0', 'replyCount', { type: 'integer', minimum: 1 }],
    ['it is a price', 'open_price', COUNT],
    ['a client may set the flag that an example shows', 'private', { ...FLAG, example: true }],
    ['a service offers them', 'allowed_colors', { type: 'array', items: { type: 'string' } }],
    ['a new record has them', 'links', LIST],
    ['it is never empty', 'parts', { ...LIST, minItems: 1 }],
    ['it tells what the record is', 'client_secret', { type: ['string', 'null'] }],
    ['an example shows it', 'reason', { type: ['string', 'null'], example: 'late' }],
    ['a client sets it', 'title', { type: ['string', 'null'] }],
    ['it is a limit of what is used', 'max_amount_used', { type: 'integer', minimum: 1 }],
    ['nothing ends', 'status', { enum: ['new', 'used'] }],
    ['it has one value', 'status', { enum: ['open'] }],
    ['no response shows it', 'created_at', { ...MOMENT, writeOnly: true }],
    ['the address is another one', 'url', { type: 'string', example: 'https://blog.test/about' }],
    ['no client sends a name', 'slug', { type: 'string' }],
    ['it is an object of another kind', 'owner', { properties: { created_at: MOMENT } }],
  ])('is nothing when %s: %s', (_why, name, schema, required) => {
    expect(valuesOf({ [name]: schema }, required)).toBeUndefined()
  })

  it.each<[name: string, schema: Schema, value: unknown, required: readonly string[]]>([
    ['metadata', { type: 'object' }, {}, ['metadata']],
    ['labels', LIST, [], ['labels']],
    ['labels', { ...LIST, example: ['a'] }, [], ['labels']],
    ['title', { type: ['string', 'null'], example: 'Emma' }, '{absent}', ['title']],
    ['private', { ...FLAG, example: true }, true, ['private']],
  ])(
    'is for %s, which a client may set and responses have, %j: %j',
    (name, schema, value, required) => {
      expect(valuesOf({ [name]: schema }, required)).toEqual({ [name]: value })
      expect(valuesOf({ [name]: schema })).toBeUndefined()
    },
  )

  it('is in the parts of a record, by their places', () => {
    const attributes = { type: 'object', properties: { createdAt: MOMENT, title: COUNT } }
    const links = { type: 'object', properties: { self: { type: 'string' } } }

    expect(valuesOf({ attributes, links })).toEqual({
      '/links/self': '{self}',
      '/attributes/createdAt': '{now}',
    })
  })

  it.each([
    ['https://api.test/boards/1/issues/7', { url: '{self}' }],
    ['https://blog.test/boards/1/issues/7', undefined],
  ])('may be an address that the API has besides: %s', (example, values) => {
    const schema = { type: 'object', properties: { url: { type: 'string', example } } }
    const itemPath = '/orgs/{org}/boards/{board}/issues/{issue}'

    expect(inferValues([schema], { ...CONTEXT, itemPath })).toEqual(values)
  })

  it('follows the name that a client sends in a text for addresses, also in the id', () => {
    const properties = { title: { type: 'string' }, slug: { type: 'string' } }
    const schemas = [{ type: 'object', properties }]

    expect(inferValues(schemas, CONTEXT)).toEqual({ slug: '{slug title}' })
    expect(inferValues(schemas, { ...CONTEXT, id: 'slug' })).toEqual({ slug: '{slug title}' })
  })

  it('is what the path says in a full name, where the record has what is above it', () => {
    const fullNames = (properties: Schema['properties']) =>
      inferValues([{ type: 'object', properties: properties ?? {} }], {
        ...CONTEXT,
        itemPath: '/repos/{owner}/{repo}',
      })

    expect(fullNames({ full_name: { type: 'string' }, owner: { type: 'object' } })).toEqual({
      full_name: '{path}',
    })
    expect(fullNames({ full_name: { type: 'string' } })).toBeUndefined()
  })

  it('is the value of a record above that a part of the record names', () => {
    const text = { type: 'string' }
    const named = (properties: Schema['properties']) =>
      inferValues([{ type: 'object', properties: properties ?? {} }], {
        ...CONTEXT,
        itemPath: '/namespaces/{namespace}/pods/{name}',
      })

    expect(
      named({ metadata: { type: 'object', properties: { namespace: text, name: text } } }),
    ).toEqual({
      '/metadata/namespace': '{path namespace}',
    })
    expect(named({ namespace: text })).toBeUndefined()
  })

  it('is no reaction to a new record', () => {
    const reactions = { type: 'object', properties: { total: COUNT, '+1': COUNT } }

    expect(valuesOf({ reactions })).toEqual({ '/reactions/total': 0, '/reactions/+1': 0 })
  })

  it('makes a page of related records an empty one', () => {
    const page = {
      type: 'object',
      properties: { entries: LIST, total_count: COUNT, limit: COUNT, has_more: FLAG },
    }

    expect(
      valuesOf({ items: page, note: { type: 'object', properties: { entries: LIST } } }),
    ).toEqual({ '/items/entries': [], '/items/total_count': 0, '/items/has_more': false })
  })

  it('makes a page of the records below one of these', () => {
    const page = { type: 'object', properties: { entries: LIST, total_count: COUNT } }
    const record = { type: 'object', properties: { comments: page } }

    expect(inferValues([record], { ...CONTEXT, below: ['comments'] })).toEqual({
      '/comments/entries': '{records comments}',
      '/comments/total_count': '{count comments}',
    })
  })

  it('is one of the states that requests list, where records say none', () => {
    const offered = new Map([['state', ['closed', 'open']]])
    const record = (state: Schema): Schema => ({ type: 'object', properties: { state } })
    const shown = (state: Schema) => inferValues([record(state)], { ...CONTEXT, offered })

    expect(shown({ type: 'string' })).toEqual({ state: 'open' })
    expect(shown({ type: 'string', example: 'idle' })).toBeUndefined()
  })

  it('is what the first response says that has the property', () => {
    const [one, other] = [{ properties: { status: STATE } }, { properties: { status: COUNT } }]

    expect(inferValues([one, other], CONTEXT)).toEqual({ status: 'open' })
  })

  it('follows from rules with names', () => {
    const names = VALUE_RULES.map(({ name }) => name)

    expect(new Set(names).size).toBe(names.length)
  })
})
