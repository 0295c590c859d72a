import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DiagnosticsCollector } from '../../document/diagnostics.ts'
import { logNewMistakes } from './diagnostic-log.ts'
import { diagnosticLine } from './diagnostics-text.ts'

const COMMAND = 'pet-sandbox explain books.yaml --diagnostics'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function mistakes(from: number, count: number): { reason: string; location: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    reason: `mistake ${from + index}`,
    location: 'books.yaml:1:1',
  }))
}

test('mistakes that are found while the document is served are logged once, in batches', () => {
  const diagnostics = new DiagnosticsCollector()
  diagnostics.add(...mistakes(0, 3))
  const lines: string[] = []
  logNewMistakes(diagnostics, COMMAND, (one) => lines.push(diagnosticLine(one)))

  diagnostics.add(...mistakes(3, 1))
  diagnostics.add(...mistakes(4, 1))
  const before = [...lines]
  vi.advanceTimersByTime(1000)
  vi.advanceTimersByTime(5000)

  expect(before).toEqual([])
  expect(lines).toEqual(['books.yaml:1:1: mistake 3.', 'books.yaml:1:1: mistake 4.'])
})

test('after twenty mistakes, the log names the command that lists the others', () => {
  const diagnostics = new DiagnosticsCollector()
  const lines: string[] = []
  logNewMistakes(diagnostics, COMMAND, (one) => lines.push(diagnosticLine(one)))

  diagnostics.add(...mistakes(0, 15))
  vi.advanceTimersByTime(1000)
  diagnostics.add(...mistakes(15, 15))
  vi.advanceTimersByTime(1000)
  diagnostics.add(...mistakes(30, 15))
  vi.advanceTimersByTime(1000)

  expect(lines).toHaveLength(21)
  expect(lines[20]).toBe(
    `the document: further mistakes of the document are not logged. List them: ${COMMAND}`,
  )
})
