import { expect, test } from 'vitest'
import { connectedTo, livingReceivers, withReceivers } from './held-receivers.ts'

const URL = 'http://127.0.0.1:3000/hooks'
const NOW = 1_000_000

test('a receiver ends a minute after its server was killed, and another server has it at once when it connects there', () => {
  const held = connectedTo([], URL, 'one', NOW)

  expect(livingReceivers(held, NOW + 59_999)).toHaveLength(1)
  expect(livingReceivers(held, NOW + 60_000)).toEqual([])
  expect(connectedTo(held, URL, 'other', NOW + 1000)).toEqual([
    { url: URL, holder: 'other', until: NOW + 61_000 },
  ])
})

test('a server prolongs its receivers every 20 seconds, so that a configuration seldom changes', () => {
  const held = connectedTo([], URL, 'one', NOW)

  expect(withReceivers(held, [URL], 'one', NOW + 19_999)).toBe(held)
  expect(withReceivers(held, [URL], 'one', NOW + 20_000)).toEqual([
    { url: URL, holder: 'one', until: NOW + 80_000 },
  ])
})

test('a server takes a receiver from another one only after that has ended', () => {
  const held = connectedTo([], URL, 'other', NOW)

  expect(withReceivers(held, [URL], 'one', NOW + 59_999)).toBe(held)
  expect(withReceivers(held, [URL], 'one', NOW + 60_000)).toMatchObject([{ holder: 'one' }])
})
