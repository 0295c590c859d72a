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
    ['/event_subscriptions', object({ url: text }), { url: '/url' }],
    [
      '/webhooks',
      object({ address: text, events: object({ 'order.created': flag }) }),
      { url: '/address', events: '/events' },
    ],
    [
      '/projects/{id}/hooks',
      object({ url: text, push_events: flag, issues_events: flag, enable_ssl: flag }),
      { url: '/url', events: '' },
    ],
  ])('finds the properties of a subscription at %s', (path, schema, expected) => {
    expect(inferSubscription(path, { views: [], sent: [schema] })).toEqual(expected)
  })

  it.each([
    ['/subscriptions', object({ url: text, plan: text, customer: text })],
    ['/notifications', object({ message: text, read: flag })],
    ['/orders', object({ url: text, events: text })],
    ['/webhooks', object({ name: text })],
  ])('finds none at %s', (path, schema) => {
    expect(inferSubscription(path, { views: [schema], sent: [schema] })).toBeUndefined()
  })

  it.each([
    [
      'config.url where the record has an address of its own',
      object({ url: text, config: object({ url: text }) }),
      object({ config: object({ url: text }) }),
      '/config/url',
    ],
    [
      'another property where url is read-only',
      object({ url: { ...text, readOnly: true }, target: text }),
      object({ url: { ...text, readOnly: true }, target: text }),
      '/target',
    ],
    [
      'the field of a form with the name of an object before it',
      object({ url: text, configuration: { type: 'object' } }),
      object({ 'Configuration.Url': text }),
      '/Configuration.Url',
    ],
  ])('takes the address that requests set: %s', (_case, view, sent, url) => {
    expect(inferSubscription('/hooks', { views: [view], sent: [sent] })).toMatchObject({ url })
  })

  it('finds none where no request sets an address, as in a list of what happened', () => {
    const happened = object({ url: text, event: text })

    expect(inferSubscription('/issues/events', { views: [happened], sent: [] })).toBeUndefined()
  })
})
