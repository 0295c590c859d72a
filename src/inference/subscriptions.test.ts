import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { inferSubscription } from './subscriptions.ts'

const text = { type: 'string' }
const flag = { type: 'boolean' }

function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties }
}

describe('inferSubscription', () => {
  it.each([
    [
      '/repos/{owner}/{repo}/hooks',
      object({
        active: flag,
        events: { type: 'array', items: text },
        config: object({ url: text, secret: text }),
      }),
      { url: '/config/url', events: '/events', secret: '/config/secret', active: '/active' },
    ],
    [
      '/v1/webhook_endpoints',
      object({
        url: text,
        enabled_events: { type: 'array', items: text },
        status: { type: 'string', enum: ['enabled', 'disabled'] },
      }),
      { url: '/url', events: '/enabled_events', active: '/status' },
    ],
    [
      '/apps/{app}/endpoint',
      object({ url: text, filterTypes: { type: 'array', items: text }, disabled: flag }),
      { url: '/url', events: '/filterTypes', inactive: '/disabled' },
    ],
    ['/subscriptions', object({ callbackUri: text }), { url: '/callbackUri' }],
    [
      '/webhooks',
      object({ address: text, events: object({ 'order.created': flag }) }),
      { url: '/address', events: '/events' },
    ],
  ])('finds the properties of a subscription at %s', (path, schema, expected) => {
    expect(inferSubscription(path, [schema])).toEqual(expected)
  })

  it.each([
    ['/subscriptions', object({ url: text, plan: text, customer: text })],
    ['/notifications', object({ message: text, read: flag })],
    ['/orders', object({ url: text, events: text })],
    ['/webhooks', object({ name: text })],
  ])('finds none at %s', (path, schema) => {
    expect(inferSubscription(path, [schema])).toBeUndefined()
  })
})
