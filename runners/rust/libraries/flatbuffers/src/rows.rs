//! The conversion between rows and tables.

use std::hint::black_box;

use flatbuffers::{FlatBufferBuilder, Follow, Vector, Verifiable, WIPOffset};
use wirelab_kit::files::Failure;
use wirelab_messages::logs::{self, FILTER_TEXT, Level, LogBlock, LogMeta, LogRecord, LogText};

use crate::tables::{
    Attachment, AttachmentArgs, Block, BlockBuilder, Borrowed, BorrowedArgs, Field, FieldArgs,
    Meta, MetaBuilder, Record, RecordArgs, RecordBinary, RecordBinaryArgs,
};

/// The builder of a row.
pub type Builder = FlatBufferBuilder<'static>;

/// A row that is stored in tables.
pub trait Row: Sized + 'static {
    type Root<'a>: Follow<'a, Inner = Self::Root<'a>> + Verifiable;

    fn build(&self, builder: &mut Builder) -> WIPOffset<Self::Root<'static>>;

    /// Reads every field in place.
    fn touch(root: &Self::Root<'_>);

    /// Whether the row matches the scenario's filter, whose level is checked first.
    fn matches(root: &Self::Root<'_>) -> bool;

    fn row(root: &Self::Root<'_>) -> Result<Self, Failure>;
}

/// Adds the fields in the schema's order, which gives the publication's bytes. (`create` would sort them by width, which
/// saves padding.)
pub fn build_meta(meta: &LogMeta, builder: &mut Builder) -> WIPOffset<Meta<'static>> {
    let mut table = MetaBuilder::new(builder);
    table.add_level(meta.level as u8);
    table.add_target(meta.target as u8);
    table.add_tm(meta.tm);
    table.finish()
}

pub fn touch_meta(meta: Meta) {
    black_box((meta.level(), meta.target(), meta.tm()));
}

pub fn is_err(meta: Meta) -> bool {
    meta.level() == Level::Err as u8
}

pub fn meta_row(meta: Meta) -> Result<LogMeta, Failure> {
    Ok(LogMeta {
        level: meta.level().try_into()?,
        target: meta.target().try_into()?,
        tm: meta.tm(),
    })
}

pub fn build_attachment(
    attachment: &logs::Attachment,
    builder: &mut Builder,
) -> WIPOffset<Attachment<'static>> {
    let uuid = Some(builder.create_string(&attachment.uuid));
    let name = Some(builder.create_string(&attachment.name));
    let data = Some(builder.create_vector(&attachment.data));
    let mut fields = Vec::with_capacity(attachment.fields.len());
    for (key, value) in &attachment.fields {
        let key = Some(builder.create_string(key));
        let value = Some(builder.create_string(value));
        fields.push(Field::create(builder, &FieldArgs { key, value }));
    }
    let args = AttachmentArgs {
        uuid,
        name,
        chunk: attachment.chunk,
        data,
        fields: Some(builder.create_vector(&fields)),
    };
    Attachment::create(builder, &args)
}

pub fn touch_attachment(attachment: Attachment) {
    black_box((attachment.uuid(), attachment.name(), attachment.chunk()));
    black_box(attachment.data().bytes());
    for field in attachment.fields() {
        black_box((field.key(), field.value()));
    }
}

pub fn attachment_row(attachment: Attachment) -> logs::Attachment {
    let fields = attachment.fields().iter();
    logs::Attachment {
        uuid: attachment.uuid().to_owned(),
        name: attachment.name().to_owned(),
        chunk: attachment.chunk(),
        data: attachment.data().bytes().to_vec(),
        fields: fields
            .map(|field| (field.key().to_owned(), field.value().to_owned()))
            .collect(),
    }
}

impl Row for LogText {
    type Root<'a> = Record<'a>;

    fn build(&self, builder: &mut Builder) -> WIPOffset<Self::Root<'static>> {
        let meta = Some(build_meta(&self.meta, builder));
        let msg = Some(builder.create_string(&self.payload));
        Record::create(builder, &RecordArgs { meta, msg })
    }

    fn touch(root: &Record) {
        touch_meta(root.meta());
        black_box(root.msg());
    }

    fn matches(root: &Record) -> bool {
        is_err(root.meta()) && root.msg().contains(FILTER_TEXT)
    }

    fn row(root: &Record) -> Result<Self, Failure> {
        Ok(Self {
            meta: meta_row(root.meta())?,
            payload: root.msg().to_owned(),
        })
    }
}

impl Row for LogRecord {
    type Root<'a> = RecordBinary<'a>;

    fn build(&self, builder: &mut Builder) -> WIPOffset<Self::Root<'static>> {
        let meta = Some(build_meta(&self.meta, builder));
        let payload = Some(build_attachment(&self.payload, builder));
        RecordBinary::create(builder, &RecordBinaryArgs { meta, payload })
    }

    fn touch(root: &RecordBinary) {
        touch_meta(root.meta());
        touch_attachment(root.payload());
    }

    fn matches(root: &RecordBinary) -> bool {
        is_err(root.meta()) && root.payload().name().contains(FILTER_TEXT)
    }

    fn row(root: &RecordBinary) -> Result<Self, Failure> {
        Ok(Self {
            meta: meta_row(root.meta())?,
            payload: attachment_row(root.payload()),
        })
    }
}

impl Row for LogBlock {
    type Root<'a> = Borrowed<'a>;

    fn build(&self, builder: &mut Builder) -> WIPOffset<Self::Root<'static>> {
        let field_u128 = builder.create_vector(&self.field_u128.to_le_bytes());
        let field_i128 = builder.create_vector(&self.field_i128.to_le_bytes());
        let blob_a = builder.create_vector(&self.blob_a);
        let blob_b = builder.create_vector(&self.blob_b);
        let mut table = BlockBuilder::new(builder); // in the schema's order, as in `build_meta`
        table.add_field_u8(self.field_u8);
        table.add_field_u16(self.field_u16);
        table.add_field_u32(self.field_u32);
        table.add_field_u64(self.field_u64);
        table.add_field_u128(field_u128);
        table.add_field_i8(self.field_i8);
        table.add_field_i16(self.field_i16);
        table.add_field_i32(self.field_i32);
        table.add_field_i64(self.field_i64);
        table.add_field_i128(field_i128);
        table.add_field_f32(self.field_f32);
        table.add_field_f64(self.field_f64);
        table.add_field_bool(self.field_bool);
        table.add_blob_a(blob_a);
        table.add_blob_b(blob_b);
        let block = Some(table.finish());
        Borrowed::create(builder, &BorrowedArgs { block })
    }

    fn touch(root: &Borrowed) {
        let block = root.block();
        black_box((
            block.field_u8(),
            block.field_u16(),
            block.field_u32(),
            block.field_u64(),
        ));
        black_box((
            block.field_i8(),
            block.field_i16(),
            block.field_i32(),
            block.field_i64(),
        ));
        black_box((block.field_f32(), block.field_f64(), block.field_bool()));
        black_box((block.field_u128().bytes(), block.field_i128().bytes()));
        black_box((block.blob_a().bytes(), block.blob_b().bytes()));
    }

    /// No scenario filters these rows.
    fn matches(_: &Borrowed) -> bool {
        false
    }

    fn row(root: &Borrowed) -> Result<Self, Failure> {
        let block: Block = root.block();
        Ok(Self {
            field_u8: block.field_u8(),
            field_u16: block.field_u16(),
            field_u32: block.field_u32(),
            field_u64: block.field_u64(),
            field_u128: u128::from_le_bytes(exactly(block.field_u128(), "field_u128")?),
            field_i8: block.field_i8(),
            field_i16: block.field_i16(),
            field_i32: block.field_i32(),
            field_i64: block.field_i64(),
            field_i128: i128::from_le_bytes(exactly(block.field_i128(), "field_i128")?),
            field_f32: block.field_f32(),
            field_f64: block.field_f64(),
            field_bool: block.field_bool(),
            blob_a: exactly(block.blob_a(), "blob_a")?,
            blob_b: exactly(block.blob_b(), "blob_b")?,
        })
    }
}

fn exactly<const N: usize>(bytes: Vector<'_, u8>, name: &str) -> Result<[u8; N], Failure> {
    bytes
        .bytes()
        .try_into()
        .map_err(|_| format!("{name} has {} bytes, not {N}", bytes.len()).into())
}
