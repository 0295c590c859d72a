import { describe, expect, it } from 'vitest'
import { pendingDelivery } from '../testing/pending-delivery.ts'
import { afterAttempt, dueAt } from './delivery.ts'

const RETRIES = [5000, 60_000]

describe('afterAttempt', () => {
  const attempt = { at: 1000, duration: 3, headers: {} }

  it('is delivered after a 2xx', () => {
    const ended = afterAttempt(pendingDelivery(1), { ...attempt, status: 204 }, RETRIES)

    expect(ended).toMatchObject({ state: 'delivered', attempts: [{ status: 204 }] })
    expect(ended.next).toBeUndefined()
  })

  it('counts the next attempt from when this one was due', () => {
    const first = afterAttempt(pendingDelivery(1), { ...attempt, status: 500 }, RETRIES)
    const second = afterAttempt(first, { ...attempt, at: 6000, error: 'ECONNREFUSED' }, RETRIES)

    expect(first).toMatchObject({ state: 'pending', next: 6000 })
    expect(second).toMatchObject({ state: 'pending', next: 66_000 })
  })

  it('fails after the last retry, and after a 410', () => {
    const retried = pendingDelivery(1, { attempts: [attempt, attempt] })

    expect(afterAttempt(retried, { ...attempt, status: 500 }, RETRIES).state).toBe('failed')
    expect(afterAttempt(pendingDelivery(1), { ...attempt, status: 410 }, RETRIES).state).toBe(
      'failed',
    )
  })
})

describe('dueAt', () => {
  it('has one delivery for each receiver: that which was due first', () => {
    const late = pendingDelivery(1, { next: 500 })
    const other = pendingDelivery(3, { url: 'http://127.0.0.1/others' })

    expect(dueAt([pendingDelivery(2), late, other], 1000, new Set())).toEqual([late, other])
  })

  it('leaves out receivers that are busy, and what is due later', () => {
    const busy = new Set(['http://127.0.0.1/hooks'])

    expect(dueAt([pendingDelivery(1)], 1000, busy)).toEqual([])
    expect(dueAt([pendingDelivery(1)], 999, new Set())).toEqual([])
  })

  it('does not hold up later events because of a retry', () => {
    const retry = pendingDelivery(1, { next: 6000 })

    expect(dueAt([retry, pendingDelivery(2)], 1000, new Set())).toEqual([pendingDelivery(2)])
  })
})
