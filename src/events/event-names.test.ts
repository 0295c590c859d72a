import { describe, expect, it } from 'vitest'
import { documentedNames, kindNamed, usualName } from './event-names.ts'

const created = { kind: 'created', path: '/orders' } as const
const cancelled = { kind: 'updated', path: '/orders', action: 'cancel' } as const

describe('usualName', () => {
  it('is the singular of the collection and what happened', () => {
    expect(usualName(created)).toBe('order.created')
    expect(usualName({ kind: 'deleted', path: '/shops/{shop}/gift-cards' })).toBe(
      'gift_card.deleted',
    )
  })

  it('has the word for what an action has done', () => {
    expect(usualName(cancelled)).toBe('order.cancelled')
    expect(usualName({ kind: 'updated', path: '/posts', action: 'publish' })).toBe('post.published')
  })
})

describe('documentedNames', () => {
  it.each([
    [created, ['order.created', 'order.updated', 'customer.created'], ['order.created']],
    [created, ['ORDER_CREATED', 'ORDER_DELETED'], ['ORDER_CREATED']],
    [created, ['newOrder', 'deletedOrder'], ['newOrder']],
    [created, ['orders:add', 'orders:remove'], ['orders:add']],
    [created, ['invoice.created'], []],
    [cancelled, ['order.canceled', 'order.updated'], ['order.canceled']],
    [cancelled, ['order.updated', 'order.created'], ['order.updated']],
    [{ kind: 'created', path: '/repos/{o}/{r}/issues' } as const, ['push', 'issues'], ['issues']],
    [
      { kind: 'deleted', path: '/v1/subscriptions' } as const,
      ['customer.subscription.deleted', 'customer.deleted'],
      ['customer.subscription.deleted'],
    ],
  ])('of %j among %j are %j', (happening, documented, expected) => {
    expect(documentedNames(happening, documented)).toEqual(expected)
  })
})

describe('kindNamed', () => {
  it('is what the name of an event says about the records of a collection', () => {
    expect(kindNamed('order.created', '/orders')).toBe('created')
    expect(kindNamed('order.shipped', '/orders')).toBe('updated')
    expect(kindNamed('issues', '/issues')).toBe('updated')
    expect(kindNamed('invoice.created', '/orders')).toBeUndefined()
  })

  it('is found for records whose word says nothing in other names', () => {
    expect(kindNamed('webhook.updated', '/webhooks')).toBe('updated')
    expect(kindNamed('event.deleted', '/v1/events')).toBe('deleted')
    expect(kindNamed('webhook.order.created', '/orders')).toBe('created')
  })
})
