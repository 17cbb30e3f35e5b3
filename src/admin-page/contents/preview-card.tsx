import { Isolated } from '../../explorer/controls/isolated.tsx';
import { visibleText } from '../../explorer/controls/visible-text.ts';
import { AskedButton } from '../controls/asked-button.tsx';
import { Facts } from '../controls/facts.tsx';
import { Opened } from '../controls/opened.tsx';
import type { ListedContent } from '../state/replies.ts';
import { addressOf } from '../state/session.ts';
import { listedFacts } from './content-card.tsx';
import { PreviewPanel } from './preview-panel.tsx';

interface PreviewCardProps {
  readonly preview: ListedContent;
  onDeleted(): void;
}

export function PreviewCard({ preview, onDeleted }: PreviewCardProps) {
  const { name, base = '', drafts, error } = preview;
  return (
    <li class="card">
      <div class="card-head">
        <h3>
          <Isolated text={name} />
        </h3>
        {drafts && <span class="mark">drafts</span>}
      </div>
      {error !== null && <p class="problem">{visibleText(error)}</p>}
      <Facts facts={[['base', <Isolated key="base" text={base} />], ...listedFacts(preview)]} />
      <Opened label="Changes" of={name}>
        <PreviewPanel name={name} />
      </Opened>
      <div class="bar">
        <AskedButton
          label="Delete"
          of={name}
          question={
            <>
              Delete the preview “<Isolated text={name} />
              ”, with all its changes?
            </>
          }
          method="DELETE"
          address={addressOf('_contents', name)}
          done={() => {
            onDeleted();
            return 'Deleted.';
          }}
        />
      </div>
    </li>
  );
}
