import type { JSX } from 'preact'
import { usePage } from '../../page.ts'
import { CollectionList } from './collection-list.tsx'
import { CollectionView } from './collection-view.tsx'
import { ParentsPanel } from './parents-panel.tsx'

/** The collections, or the records of one collection. */
export function RecordsView(): JSX.Element {
  const { route } = usePage()
  const { path, query } = route
  if (path.length > 0) {
    const name = path.join('/')
    return <CollectionView key={name} name={name} />
  }
  const template = query.open ?? ''

  return (
    <div class={template === '' ? 'split' : 'split open'}>
      <CollectionList />
      {template !== '' && <ParentsPanel key={template} template={template} />}
    </div>
  )
}
