import { describe, expect, it } from 'vitest'
import { afterAttempt, type Delivery, dueAt } from './delivery.ts'

const RETRIES = [5000, 60_000]

function delivery(id: number, parts: Partial<Delivery> = {}): Delivery {
  return {
    id,
    event: { id: `evt_${id}`, type: 'order.created', at: 0 },
    url: 'http://127.0.0.1/hooks',
    method: 'POST',
    contentType: 'application/json',
    body: '{}',
    attempts: [],
    next: 1000,
    state: 'pending',
    ...parts,
  }
}

describe('afterAttempt', () => {
  const attempt = { at: 1000, duration: 3, headers: {} }

  it('is delivered after a 2xx', () => {
    const ended = afterAttempt(delivery(1), { ...attempt, status: 204 }, RETRIES)

    expect(ended).toMatchObject({ state: 'delivered', attempts: [{ status: 204 }] })
    expect(ended.next).toBeUndefined()
  })

  it('counts the next attempt from when this one was due', () => {
    const first = afterAttempt(delivery(1), { ...attempt, status: 500 }, RETRIES)
    const second = afterAttempt(first, { ...attempt, at: 6000, error: 'ECONNREFUSED' }, RETRIES)

    expect(first).toMatchObject({ state: 'pending', next: 6000 })
    expect(second).toMatchObject({ state: 'pending', next: 66_000 })
  })

  it('fails after the last retry, and after a 410', () => {
    const retried = delivery(1, { attempts: [attempt, attempt] })

    expect(afterAttempt(retried, { ...attempt, status: 500 }, RETRIES).state).toBe('failed')
    expect(afterAttempt(delivery(1), { ...attempt, status: 410 }, RETRIES).state).toBe('failed')
  })
})

describe('dueAt', () => {
  it('has one delivery for each receiver: that which was due first', () => {
    const late = delivery(1, { next: 500 })
    const other = delivery(3, { url: 'http://127.0.0.1/others' })

    expect(dueAt([delivery(2), late, other], 1000, new Set())).toEqual([late, other])
  })

  it('leaves out receivers that are busy, and what is due later', () => {
    const busy = new Set(['http://127.0.0.1/hooks'])

    expect(dueAt([delivery(1)], 1000, busy)).toEqual([])
    expect(dueAt([delivery(1)], 999, new Set())).toEqual([])
  })

  it('does not hold up later events because of a retry', () => {
    const retry = delivery(1, { next: 6000 })

    expect(dueAt([retry, delivery(2)], 1000, new Set())).toEqual([delivery(2)])
  })
})
