import {
  type DataTypeNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type OperationNode,
  type PluginTransformQueryArgs,
  RawNode,
} from 'kysely';

/**
 * Makes every text column of a migration compare byte by byte on Postgres, as SQLite does. A
 * database's own collation would sort ids differently from machine to machine.
 */
export const textAsBytes: KyselyPlugin = {
  transformQuery: ({ node }: PluginTransformQueryArgs) => transformer.transformNode(node),
  transformResult: async ({ result }) => result,
};

class TextAsBytes extends OperationNodeTransformer {
  override transformNodeImpl<T extends OperationNode>(node: T): T {
    if (isText(node))
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- raw SQL stands where a type may stand
      return RawNode.createWithSql('text collate "C"') as OperationNode as T;
    return super.transformNodeImpl(node);
  }
}

const transformer = new TextAsBytes();

const isText = (node: OperationNode): boolean =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind says so
  node.kind === 'DataTypeNode' && (node as DataTypeNode).dataType === 'text';
