import type { JSX } from 'preact'
import type { ViewName } from '../route.ts'
import { KeysView } from './keys/keys-view.tsx'
import { OperationsView } from './operations/operations-view.tsx'
import { OutcomesView } from './outcomes/outcomes-view.tsx'
import { RecordsView } from './records/records-view.tsx'
import { ReportView } from './report/report-view.tsx'
import { TimelineView } from './timeline/timeline-view.tsx'
import { TrafficView } from './traffic/traffic-view.tsx'
import { WorldsView } from './worlds/worlds-view.tsx'

/** A view of the page. */
export interface View {
  /** Its name in the navigation. */
  readonly label: string
  readonly Component: () => JSX.Element
}

/** The views that exist. */
export const VIEWS: Readonly<Partial<Record<ViewName, View>>> = {
  traffic: { label: 'Traffic', Component: TrafficView },
  timeline: { label: 'Timeline', Component: TimelineView },
  keys: { label: 'Keys', Component: KeysView },
  outcomes: { label: 'Outcomes', Component: OutcomesView },
  worlds: { label: 'Worlds', Component: WorldsView },
  report: { label: 'Report', Component: ReportView },
  records: { label: 'Records', Component: RecordsView },
  operations: { label: 'Operations', Component: OperationsView },
}
