import { describe, expect, it, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { objectOf } from '../testing/operation-on.ts'
import {
  ACTION_RULES,
  describedEffect,
  inferEffect,
  inferRemoval,
  inferTransition,
} from './action-effects.ts'

const MOMENT: Schema = { type: 'string', format: 'date-time' }
const NULLABLE: Schema = { type: ['string', 'null'], format: 'date-time' }
const FLAG: Schema = { type: 'boolean' }
const STATE: Schema = { type: 'string', enum: ['open', 'closed', 'CANCELLED', 'in_progress'] }
const TEXT: Schema = { type: 'string' }

function effectOf(name: string, record: Schema, isUndone = false): object | undefined {
  return inferEffect({ name, word: 'orders', isUndone }, record)
}

test('an action sets no date in another record', () => {
  const properties = { id: TEXT, approved_at: MOMENT, status: { enum: ['open'] } }

  expect(
    effectOf('approve', objectOf({ plan: { type: ['object', 'null'], properties } })),
  ).toBeUndefined()
})

describe('an action sets', () => {
  it.each<[action: string, properties: Record<string, Schema>, set: object]>([
    ['cancel', { status: STATE }, { status: 'CANCELLED' }],
    ['finish', { status: { enum: ['completed', 'finished'] } }, { status: 'finished' }],
    ['complete', { status: { enum: ['finished', 'completed'] } }, { status: 'completed' }],
    ['cancellation', { status: STATE }, { status: 'CANCELLED' }],
    ['cancelOrder', { status: STATE }, { status: 'CANCELLED' }],
    ['cancel', { last_event: STATE }, { last_event: 'CANCELLED' }],
    ['close', { phase: STATE }, { phase: 'closed' }],
    ['close', { state: STATE, closed_at: NULLABLE }, { state: 'closed', closed_at: '{now}' }],
    ['reopen', { state: STATE, closed_at: NULLABLE }, { state: 'open', closed_at: '{absent}' }],
    [
      'reopen',
      { state: STATE, opened_at: MOMENT, reopened_at: MOMENT },
      { state: 'open', reopened_at: '{now}' },
    ],
    [
      'resume',
      { status: { enum: ['active', 'paused'] }, started_at: MOMENT },
      { status: 'active' },
    ],
    ['cancel', { canceledAt: MOMENT }, { canceledAt: '{now}' }],
    ['publish', { status: { enum: ['draft', 'active'] } }, { status: 'active' }],
    ['confirm', { status: { enum: ['requires_action', 'succeeded'] } }, { status: 'succeeded' }],
    ['approve', { status: { enum: ['pending', 'accepted'] } }, { status: 'accepted' }],
    [
      'approve',
      { approval: { type: ['object', 'null'], properties: { approved_at: MOMENT, state: STATE } } },
      { approval: { approved_at: '{now}' } },
    ],
    ['submit', { status: { enum: ['draft', 'in_review'] } }, { status: 'in_review' }],
    ['cancel', { dateCancelled: MOMENT }, { dateCancelled: '{now}' }],
    ['archive', { archived: FLAG }, { archived: true }],
    ['unarchive', { isArchived: FLAG }, { isArchived: false }],
    [
      'restore',
      { archived: FLAG, deleted_at: MOMENT },
      { archived: false, deleted_at: '{absent}' },
    ],
    ['enable', { enabled: FLAG, disabled_at: MOMENT }, { enabled: true, disabled_at: '{absent}' }],
    ['disable', { enabled: FLAG, enabled_at: MOMENT }, { enabled: false }],
    [
      'start',
      { status: STATE, started_at: MOMENT },
      { status: 'in_progress', started_at: '{now}' },
    ],
    ['stop', { running: FLAG, started_at: MOMENT }, { running: false }],
    ['shutdown', { status: { enum: ['running', 'offline'] } }, { status: 'offline' }],
    ['boot', { status: { enum: ['running', 'offline'] } }, { status: 'running' }],
    ['reblog', { reblogged: FLAG }, { reblogged: true }],
    ['unreblog', { reblogged: FLAG }, { reblogged: false }],
    ['enable', { status: { enum: ['active', 'idle', 'disabled'] } }, { status: 'idle' }],
    ['play', { is_playing: FLAG }, { is_playing: true }],
    ['pause', { is_playing: FLAG }, { is_playing: false }],
    ['send', { status: { enum: ['save', 'sending', 'sent'] } }, { status: 'sent' }],
    ['mark-as-paid', { paid: FLAG }, { paid: true }],
    ['resolved', { resolved: FLAG }, { resolved: true }],
    ['close', { order_status: STATE, status: STATE }, { status: 'closed' }],
    [
      'ship',
      { state: { enum: ['ORDER_STATE_NEW', 'ORDER_STATE_SHIPPED'] } },
      { state: 'ORDER_STATE_SHIPPED' },
    ],
    ['close', { attributes: objectOf({ closed: FLAG }) }, { attributes: { closed: true } }],
    ['pause', { state: objectOf({ Paused: FLAG }) }, { state: { Paused: true } }],
    ['close', { status: { ...TEXT, describedValues: ['open', 'closed'] } }, { status: 'closed' }],
    ['cancel', { status: TEXT }, { status: 'cancelled' }],
    ['revoke', { status: { ...TEXT, example: 'PENDING' } }, { status: 'REVOKED' }],
    ['revoke', { status: TEXT, revoked_at: MOMENT }, { status: 'revoked', revoked_at: '{now}' }],
    ['lock', { status: TEXT, locked: FLAG }, { locked: true }],
    ['restore', { state: TEXT }, { state: 'active' }],
    ['reset-stream-key', { stream_key: TEXT, key: FLAG }, { stream_key: '{revision}' }],
    ['rotateSecret', { signingSecret: TEXT, name: TEXT }, { signingSecret: '{revision}' }],
    ['regenerate', { api_token: TEXT, name: TEXT }, { api_token: '{revision}' }],
    ['star', { starred: FLAG }, { starred: true }],
    ['unfollow', { following: FLAG }, { following: false }],
  ])('%s of %j: %j', (action, properties, set) => {
    expect(effectOf(action, objectOf(properties))).toEqual(set)
  })

  it('of a request without values at the name of a secret renews it', () => {
    const record = objectOf({ apiKey: TEXT, mobileKey: TEXT })
    const action = { name: 'api-key', word: 'environments', isUndone: false }

    expect(inferEffect({ ...action, isBare: true }, record)).toEqual({ apiKey: '{revision}' })
    expect(inferEffect(action, record)).toBeUndefined()
  })

  it.each<[why: string, action: string, record: Schema]>([
    ['the name says nothing', 'recalculate', objectOf({ status: STATE })],
    ['the status has no such value', 'ship', objectOf({ status: STATE })],
    ['the status has a form', 'cancel', objectOf({ status: { ...TEXT, pattern: '^[0-9]$' } })],
    ['only the caller has the state', 'star', objectOf({ status: TEXT })],
    ['it renews one of several secrets', 'rotate', objectOf({ token: TEXT, secret: TEXT })],
    ['it renews what the record does not have', 'rotate-token', objectOf({ name: TEXT })],
    ['only the caller has that state', 'pin', objectOf({ pinned_at: MOMENT })],
    ['it is no date', 'close', objectOf({ closed_by: TEXT })],
    ['it is another flag', 'lock', objectOf({ lockable: FLAG })],
    [
      'the date must be there',
      'reopen',
      { ...objectOf({ closed_at: MOMENT }), required: ['closed_at'] },
    ],
  ])('nothing when %s', (_why, action, record) => {
    expect(effectOf(action, record)).toBeUndefined()
  })
})

test.each([
  ['lock', { locked: FLAG, locked_at: MOMENT }, { locked: false, locked_at: '{absent}' }],
  ['unlock', { locked: FLAG }, { locked: true }],
  ['archive', { state: { enum: ['active', 'archived'] } }, { state: 'active' }],
])('a DELETE of %s undoes it', (action, properties, set) => {
  expect(effectOf(action, objectOf(properties), true)).toEqual(set)
})

test.each([
  ['merge', ['open', 'closed', 'all'], { merged: true, state: 'closed' }],
  ['reopen', ['opened', 'closed'], { state: 'opened' }],
  ['merge', ['new'], { merged: true }],
])('%s sets the state of any text that requests list: %j', (name, states, set) => {
  const offered = new Map([['state', states]])
  const action = { name, word: 'pulls', isUndone: false, offered }

  expect(inferEffect(action, objectOf({ state: TEXT, merged: FLAG }))).toEqual(set)
})

describe('a conflict allows a cancellation', () => {
  const record = objectOf({
    status: { enum: ['new', 'paid', 'in_transit', 'shipped', 'cancelled'] },
  })

  it.each<[text: string, status: readonly string[] | undefined]>([
    ['The order is already cancelled.', ['new', 'paid', 'in_transit', 'shipped']],
    ['It is in transit or shipped.', ['new', 'paid', 'cancelled']],
    ['Only new orders can be cancelled.', ['new']],
    ['The status must be `paid`.', ['paid']],
    ['The order is not in the new state', ['new']],
    ['The order is not in status `paid`. Nothing is changed.', ['paid']],
    ['It is not new or paid.', ['new', 'paid']],
    ['It has a status other than "new".', ['new']],
    ['409 unless the order is new.', ['new']],
    ['Conflict with another request.', undefined],
    ['Conflict', undefined],
    ['', undefined],
  ])('%s: from %j', (text, status) => {
    const from = inferTransition({ status: 'cancelled' }, record, text)

    expect(from).toEqual(status && { status })
  })
})

describe('a description says what an action sets', () => {
  const record = objectOf({
    status: { enum: ['free', 'lent', 'in_repair'] },
    locked: FLAG,
    borrower: { type: ['string', 'null'] },
    returned_at: { type: ['string', 'null'], format: 'date-time' },
  })

  it.each<[text: string, set: object | undefined]>([
    ['Sets `status` to `lent`.', { status: 'lent' }],
    ['Sets the status of the tool to in_repair.', { status: 'in_repair' }],
    [
      'Its status becomes free; `borrower` and `returned_at` become null.',
      { status: 'free', borrower: null, returned_at: null },
    ],
    ['Status becomes `free` and borrower null.', { status: 'free', borrower: null }],
    ['Clears `borrower`; `returned_at` is null.', { borrower: null, returned_at: null }],
    ['Sets `locked` to true. 409 if the status is lent.', { locked: true }],
    ['The status becomes free if nobody has the tool.', undefined],
    ['The status becomes free\nif nobody has the tool.', undefined],
    ['Sets `status`\nto `lent`.', { status: 'lent' }],
    ['Lends the tool. Only tools with the status free can be lent.', undefined],
    ['', undefined],
  ])('%s', (text, set) => {
    expect(describedEffect(text, record)).toEqual(set)
  })
})

test.each<[shown: Record<string, Schema>, set: object | undefined]>([
  [{ id: TEXT, deleted: FLAG }, { deleted: true }],
  [{ success: FLAG, message: TEXT }, { success: true }],
  [{ status: { enum: ['active', 'deleted'] } }, { status: 'deleted' }],
  [{ status: { enum: ['active', 'canceled'] } }, { status: 'canceled' }],
  [{ message: TEXT }, undefined],
  [{ deleted: { type: 'integer' } }, { deleted: 1 }],
  [
    { rows_affected: { type: 'integer' }, deleted_id: TEXT },
    { rows_affected: 1, deleted_id: '{record.id}' },
  ],
  [{ deleted_object_ids: { type: 'array', items: TEXT } }, { deleted_object_ids: ['{record.id}'] }],
])('the response %j of a removal says %j', (shown, set) => {
  expect(inferRemoval(objectOf(shown), 'id')).toEqual(set)
})

test('a removal sets the state that its description names', () => {
  const status = { type: 'string', enum: ['active', 'canceled', 'terminated'] }

  expect(inferRemoval(objectOf({ status }), 'id', 'Terminate a plan.')).toEqual({
    status: 'terminated',
  })
  expect(inferRemoval(objectOf({ status }), 'id', 'Delete a plan.')).toEqual({ status: 'canceled' })
})

test('each rule is about other actions', () => {
  const verbs = ACTION_RULES.flatMap((rule) => rule.verbs.split(' '))

  expect(new Set(verbs).size).toBe(verbs.length)
})
