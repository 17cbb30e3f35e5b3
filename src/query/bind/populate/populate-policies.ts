/**
 * What a dialect decides about `populate`. Each hook has a query that shows it. In these queries, `author` and `tags`
 * are relations, `zone` is a dynamic zone, `subject` a polymorphic relation, and `secret` a private relation.
 */
import type { EntryType, LinkAttribute, PolymorphicAttribute, Schema } from '../../../model/schema/schema.ts';
import type { PopulatePlace } from '../../syntax/location.ts';
import type {
  OnNode,
  OptionsNode,
  PathsNode,
  PopulateEntry,
  PopulateNode,
  PopulateOptions,
  TreeNode,
} from '../../syntax/populate-nodes.ts';
import type { BindingContext } from '../context.ts';

/** A path of `populate`. */
export interface PopulatePath {
  /** At least one name. */
  readonly names: readonly string[];
  /** A polymorphic relation at the end of the path shows rows of the query's status only. */
  readonly ofRequestedStatus: boolean;
}

/** How `populate` is read. */
export interface PopulateSyntaxPolicy {
  /** Rewrites `populate` before it is bound. Strapi 4 drops the unknown name of `populate=author,wrong`. */
  rewrite(
    context: Pick<BindingContext, 'schema' | 'features'>,
    type: EntryType,
    node: PopulateNode | null,
  ): PopulateNode | null;
  /** Returns the paths of a text or a list, such as `populate=author.team,tags`. Throws for wrong names. */
  readPaths(context: BindingContext, type: EntryType, node: PathsNode): readonly PopulatePath[];
  /** Throws for an object that the parser made of a long list: `populate[0]=author&…&populate[200]=tags`. */
  checkLength(context: BindingContext, node: TreeNode | PopulateOptions): void;
  /**
   * Returns the options that `populate[author]=*` means; null if it is an error. `target` is null for several types.
   */
  starOptions(context: BindingContext, target: EntryType | null, place: PopulatePlace): PopulateOptions | null;
  /** Returns the types of `populate[zone][on][block.quote]=true`; null if `on` has a wrong form. */
  readOn(attribute: PolymorphicAttribute, on: OnNode): readonly PopulateEntry[] | null;
}

/**
 * What is checked in `populate`, and in which order. `Context` is `Binding` (`query/policies.ts`), whose policies
 * include this one.
 */
export interface PopulateCheckPolicy<Context extends BindingContext> {
  /**
   * Returns whether a key that is no attribute of the type is ignored, such as that of `populate[sort]=title` in
   * Strapi. Throws for a mistake in its value.
   */
  ignoresKey(context: Context, type: EntryType, key: string, raw: unknown, place: PopulatePlace): boolean;
  /** Returns whether a key among the options of a relation is ignored: `populate[author][true]=x`. */
  ignoresOption(key: string): boolean;
  /**
   * Returns whether the options of a private attribute are checked before it is reported. Strapi reports `wrong` for
   * `populate[secret][fields]=wrong`.
   */
  checksPrivateOptions(schema: Schema, attribute: LinkAttribute, options: OptionsNode): boolean;
  /**
   * Reports `wrong` in `populate[author][fields]=wrong` to callers who may not read authors, too. This reveals the
   * names in the type.
   */
  readonly checksUnreadableOptions: boolean;
  /** Returns whether `count` may be any value, which then counts as false: `populate[zone][count]=many`. */
  acceptsAnyCount(attribute: LinkAttribute): boolean;
  /**
   * Returns whether `on` may name an existing type, as in `populate[zone][on][api::tag.tag]=true`. `components` are
   * those of the attribute, if it has any.
   */
  acceptsType(uid: string, components: readonly string[] | null | undefined): boolean;
}

/** What populated attributes are served with. */
export interface PopulateResultPolicy {
  /**
   * Returns whether an attribute with these options is never served, as in Strapi that of
   * `populate[subject][populate]=*`. Its options are then not checked.
   */
  leavesOut(attribute: PolymorphicAttribute, options: OptionsNode): boolean;
  /**
   * Returns whether `populate[subject][on][api::tag.tag]=true` leaves the attribute out if the caller may read none of
   * the types that `on` names.
   */
  leavesOutUnreadable(attribute: PolymorphicAttribute): boolean;
  /** Returns whether `populate[subject]=true` serves rows of every status, not only of the query's status. */
  servesEveryStatus(attribute: PolymorphicAttribute): boolean;
  /** `populate[tags][filters][name]=x` serves the tags as `{"data": […]}`. */
  readonly wrapsFiltered: boolean;
}
