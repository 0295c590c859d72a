import { describe, expect, test } from 'vitest'
import type { ClientTimeline } from '../../report/client-timeline.ts'
import type { ReportEntry } from '../../report/report-entry.ts'
import { chooseTimelines, periodOf, withinPeriod } from './timeline-view.tsx'

const ENTRY: ReportEntry = {
  id: '1',
  recording: 1,
  time: 0,
  end: 0,
  method: 'GET',
  target: '/pets',
  caller: 'valid',
  key: '',
  status: 200,
  forced: false,
  notes: [],
  faults: [],
}

function timeline(key: string, ...times: readonly number[]): ClientTimeline {
  return times.map((time) => ({ ...ENTRY, key, time, end: time }))
}

describe('the period of the timeline', () => {
  test.each([
    [undefined, 'All'],
    ['minute', 'Last minute'],
    ['10-minutes', 'Last 10 minutes'],
    ['century', 'All'],
  ])('of the setting %j is %j', (setting, label) => {
    expect(periodOf(setting).label).toBe(label)
  })

  test('has the requests up to the present time, and no key without one', () => {
    const all = [timeline('a', 0, 60_000, 60_001, 120_000, 120_001), timeline('b', 10)]

    expect(withinPeriod(all, periodOf('minute'), 120_000)).toEqual([timeline('a', 60_001, 120_000)])
    expect(withinPeriod(all, periodOf(), 120_000)).toEqual(all)
  })
})

test('the keys with most requests are drawn in the order of their names', () => {
  const all = [timeline('c', 1, 2), timeline('b', 1), timeline('a', 1, 2, 3), timeline('d', 1)]

  const { shown, hiddenKeys, hiddenRequests } = chooseTimelines(all, 2)

  expect(shown.map(([first]) => first?.key)).toEqual(['a', 'c'])
  expect([hiddenKeys, hiddenRequests]).toEqual([2, 2])
})
